"""Charts as inline SVG: crisp, small, without a script, and fit for print.

Colours are classes of the page's style sheet, so that one drawing serves light, dark and print.
Coordinates are CSS pixels at the drawing's own width.
"""
