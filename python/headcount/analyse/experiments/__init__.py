"""What experiments on a server show about its limit: pure functions of turns.

An experiment is a few rounds; a round is one turn under each of its conditions (arms). Each module
here judges one kind of experiment; `conclude` combines several. Rounds are the sample: their
logarithms are averaged, and the intervals are Student's.
"""
