"""Whether servers, or one server before and after a change, differ: pure functions of bundles."""
