"""Whether somebody vouches for the bundle."""

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.bundle.manifest import SIGNATURE
from headcount.bundle.signing import Signature

CHECK = "signature"
TITLE = "the list of files is signed"


def check(evidence: Evidence, signature: Signature | None, *, wanted: bool) -> Result:
    """With `wanted`, keys were given, and a bundle without a signature of one of them fails."""
    if signature is None:
        if not wanted:
            return unknown(CHECK, TITLE, "it is not signed")
        place = Place(file=SIGNATURE, at="the file", text="is missing: the bundle is not signed")
        return result(CHECK, TITLE, [place], "")
    if not signature.valid:
        place = Place(file=SIGNATURE, at="the signature", text=signature.text)
        return result(CHECK, TITLE, [place], "")
    if evidence.manifest is None:
        place = Place(file=SIGNATURE, at="the signature", text="there is nothing that it signs")
        return result(CHECK, TITLE, [place], "")
    if signature.signer is None:
        why = f"{signature.text}; the key's owner was not checked (--verify PUBLIC-KEY)"
        return unknown(CHECK, TITLE, why)
    return result(CHECK, TITLE, [], signature.text)
