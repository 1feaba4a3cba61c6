"""Whether what a diagnosis calls the next limit is the next limit, once the first one is gone."""
