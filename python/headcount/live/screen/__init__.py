"""The screen of `headcount watch`, made with Textual: views and dialogs of a watch."""
