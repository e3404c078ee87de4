"""An EVM chain by JSON-RPC: the calls of the HTLC, reads of its state, signed transactions."""
import json
import urllib.request

from ecdsa import SECP256k1, SigningKey
from ecdsa.util import sigencode_string_canonize
from keccak import keccak256

REDEEMED, REFUNDED = 1, 2


def selector(signature: str) -> bytes:
    return keccak256(signature.encode())[:4]


INITIATE = selector("initiate(address,uint256,uint256,bytes32)")
REDEEM = selector("redeem(address,address,uint256,uint256,bytes32)")
REFUND = selector("refund(address,address,uint256,uint256,bytes32)")
INITIATED_AT = selector("initiatedAt(bytes32)")
APPROVE = selector("approve(address,uint256)")
ALLOWANCE = selector("allowance(address,address)")
BALANCE_OF = selector("balanceOf(address)")
REDEEMED_TOPIC = "0x" + keccak256(b"Redeemed(bytes32,bytes32)").hex()
DOMAIN_TYPE = keccak256(b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
REFUND_TYPE = keccak256(b"Refund(bytes32 orderId)")


def word(value) -> bytes:
    """One 32-byte word of the ABI: a number, an address or bytes32."""
    if isinstance(value, int):
        return value.to_bytes(32, "big")
    data = bytes.fromhex(value.removeprefix("0x")) if isinstance(value, str) else value
    return data.rjust(32, b"\0")


def call_of(to: str, data: bytes, value: int = 0) -> dict:
    return {"to": to, "data": "0x" + data.hex(), "value": hex(value)}


def encode(*values) -> bytes:
    return b"".join(word(value) for value in values)


def rlp(item) -> bytes:
    if isinstance(item, int):
        item = item.to_bytes((item.bit_length() + 7) // 8, "big")
    if isinstance(item, list):
        payload, offset = b"".join(rlp(inner) for inner in item), 0xC0
    elif len(item) == 1 and item[0] < 0x80:
        return item
    else:
        payload, offset = item, 0x80
    if len(payload) < 56:
        return bytes([offset + len(payload)]) + payload
    length = len(payload).to_bytes((len(payload).bit_length() + 7) // 8, "big")
    return bytes([offset + 55 + len(length)]) + length + payload


class Account:
    def __init__(self, private_key: bytes):
        self._key = SigningKey.from_string(private_key, curve=SECP256k1)
        self._public = self._key.verifying_key
        self.address = "0x" + keccak256(self._public.to_string())[12:].hex()

    def sign(self, hashed: bytes):
        """r, s and the parity: with canonical s, and the nonce of RFC 6979."""
        signature = self._key.sign_digest_deterministic(hashed, sigencode=sigencode_string_canonize)
        candidates = self._public.from_public_key_recovery_with_digest(signature, hashed, SECP256k1)
        parity = [key.to_string() for key in candidates].index(self._public.to_string())
        return int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"), parity


class RpcError(Exception):
    pass


class Chain:
    def __init__(self, name: str, settings: dict, account: Account):
        self.name = name
        self.chain_id = settings["chain_id"]
        self.confirmations = settings["confirmations"]
        self.final_blocks = settings["final_blocks"]
        self.source_timelock = settings["source_timelock"]
        self.destination_timelock = settings["destination_timelock"]
        self.margin = settings["margin_seconds"]
        self._url = settings["rpc"]
        self._account = account
        self.address = account.address

    def rpc(self, method: str, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self._url, body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as response:
            answer = json.load(response)
        if "error" in answer:
            raise RpcError(f"{method} on {self.name}: {str(answer['error'].get('message'))[:300]}")
        return answer["result"]

    def read(self, to: str, data: bytes, block="latest") -> int:
        answer = self.rpc("eth_call", {"to": to, "data": "0x" + data.hex()}, block)
        if answer == "0x" and block != "latest":
            # The contract did not exist at that block, so nothing was initiated there.
            return 0
        return int(answer, 16)

    def head(self):
        """The number and the time of the newest block."""
        block = self.rpc("eth_getBlockByNumber", "latest", False)
        return int(block["number"], 16), int(block["timestamp"], 16)

    def balance(self, token) -> int:
        if token is None:
            return int(self.rpc("eth_getBalance", self.address, "latest"), 16)
        return self.read(token, BALANCE_OF + encode(self.address))

    def initiated_at(self, htlc: str, swap: str, block="latest") -> int:
        """0 if never initiated, 1 if redeemed, 2 if refunded, otherwise the time of the initiation."""
        return self.read(htlc, INITIATED_AT + encode(swap), block)

    def secret_of(self, htlc: str, swap: str, since: int):
        logs = self.rpc("eth_getLogs", {"address": htlc, "topics": [REDEEMED_TOPIC, "0x" + swap], "fromBlock": hex(since), "toBlock": "latest"})
        return bytes.fromhex(logs[0]["data"][2:66]) if logs else None

    def receipt(self, transaction: str):
        return self.rpc("eth_getTransactionReceipt", transaction)

    def next_nonce(self) -> int:
        return int(self.rpc("eth_getTransactionCount", self.address, "latest"), 16)

    def estimate_gas(self, call: dict) -> int:
        """The estimate plus a quarter. It fails if the call would revert."""
        return int(self.rpc("eth_estimateGas", {"from": self.address, **call}), 16) * 5 // 4

    def sign(self, nonce: int, call: dict, gas: int, replaced=None) -> dict:
        """A signed EIP-1559 transaction. It is not sent. It offers a quarter more than the one that it replaces."""
        least = (replaced["fee"] * 5 // 4 + 1, replaced["tip"] * 5 // 4 + 1) if replaced else (0, 1)
        tip = max(int(self.rpc("eth_maxPriorityFeePerGas"), 16), least[1])
        base = int(self.rpc("eth_getBlockByNumber", "latest", False)["baseFeePerGas"], 16)
        fee = max(2 * base + tip, least[0])
        to, value, data = bytes.fromhex(call["to"][2:]), int(call["value"], 16), bytes.fromhex(call["data"][2:])
        fields = [self.chain_id, nonce, tip, fee, gas, to, value, data, []]
        r, s, parity = self._account.sign(keccak256(b"\x02" + rlp(fields)))
        raw = b"\x02" + rlp([*fields, parity, r, s])
        return {"hash": "0x" + keccak256(raw).hex(), "raw": "0x" + raw.hex(), "gas": gas, "fee": fee, "tip": tip}

    def consent_to_refund(self, htlc: str, is_token: bool, swap: str) -> str:
        """EIP-712: with this signature of the redeemer anyone may refund the HTLC to its initiator at once."""
        name = keccak256(b"HTLC-ERC20" if is_token else b"HTLC-Native")
        domain = keccak256(encode(DOMAIN_TYPE, name, keccak256(b"1"), self.chain_id, htlc))
        r, s, parity = self._account.sign(keccak256(b"\x19\x01" + domain + keccak256(encode(REFUND_TYPE, swap))))
        return "0x" + encode(r, s).hex() + bytes([27 + parity]).hex()
