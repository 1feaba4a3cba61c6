"""Atheris around one reader in Python: `python_fuzzer.py TARGET [options of libFuzzer]`."""

import sys

if __name__ == "__main__":
    if sys.argv[1:] == ["--targets"]:
        from readers import TARGETS

        print("\n".join(TARGETS))
        sys.exit()

    import atheris

    with atheris.instrument_imports(include=["headcount"]):
        from readers import TARGETS, play

    name = sys.argv.pop(1)
    atheris.Setup(sys.argv, lambda data: play(TARGETS[name], data))
    atheris.Fuzz()
