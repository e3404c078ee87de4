"""Moves the money: watches the chains, locks destinations, redeems sources, refunds. One thread; it may be killed at any moment."""
import hashlib
import json
import threading
import time
import traceback

from evm import ALLOWANCE, APPROVE, INITIATE, REDEEM, REDEEMED, REFUND, REFUNDED, Account, Chain, RpcError, call_of, encode
from keccak import keccak256
from pricing import Asset, NoPrice, Prices
from store import Store

POLL_SECONDS = 1
BUMP_SECONDS = 20
FORGET_SECONDS = 600
MAX_REVERTS = 3
UNLIMITED = 2**256 - 1


def swap_id(chain: Chain, htlc: str, terms: dict) -> str:
    """The same hash as the contract computes: the terms determine the id."""
    preimage = encode(chain.chain_id, htlc, terms["initiator"], terms["redeemer"], terms["timelock"], int(terms["amount"]), terms["secret_hash"])
    return keccak256(preimage).hex()


class Worker:
    def __init__(
        self, store: Store, chains: dict[str, Chain], assets: dict[str, Asset], prices: Prices, account: Account, spread_bips: int, tolerance_bips: int
    ):
        self._store, self._chains, self._assets, self._prices, self._account = store, chains, assets, prices, account
        self._spread_bips, self._tolerance_bips = spread_bips, tolerance_bips
        self._wake = threading.Event()

    def wake(self):
        self._wake.set()

    def run(self):
        while True:
            self._attempt("allowances", self._approve_all)
            for chain in self._chains.values():
                self._attempt(chain.name, lambda chain=chain: self._push(chain))
            for order in self._store.open_orders():
                self._attempt(order["id"], lambda order=order: self._step(order))
            self._wake.wait(POLL_SECONDS)
            self._wake.clear()

    @staticmethod
    def _attempt(what: str, work):
        """A node or an exchange that does not answer must not end the thread. Everything is retried in the next round."""
        try:
            work()
        except (OSError, RpcError, NoPrice, ValueError) as error:
            print(f"{what}: {type(error).__name__}: {error}", flush=True)
        except Exception:
            traceback.print_exc()

    def available(self, asset: Asset) -> int:
        """The balance, less what funded orders still need."""
        return max(self._balance_without(asset, lambda order: order["funded"] and order["decision"] != "refund"), 0)

    def _balance_without(self, asset: Asset, is_reserved) -> int:
        reserved = [order for order in self._store.open_orders() if is_reserved(order) and order["terms"]["destination_asset"] == asset.name]
        amounts = [int(order["terms"]["destination"]["amount"]) for order in reserved if not self._is_locked(order)]
        return self._chains[asset.chain].balance(asset.token) - sum(amounts)

    def _sides(self, order: dict):
        terms = order["terms"]
        source, destination = self._assets[terms["source_asset"]], self._assets[terms["destination_asset"]]
        return source, destination, self._chains[source.chain], self._chains[destination.chain]

    def _is_locked(self, order: dict) -> bool:
        _, destination, _, chain = self._sides(order)
        return chain.initiated_at(destination.htlc, swap_id(chain, destination.htlc, order["terms"]["destination"])) != 0

    def _step(self, order: dict):
        source, destination, source_chain, destination_chain = self._sides(order)
        source_id = swap_id(source_chain, source.htlc, order["terms"]["source"])
        source_state = source_chain.initiated_at(source.htlc, source_id)
        if order["decision"] is None:
            self._consider(order, source_id, source_state)
        elif order["decision"] == "refund":
            self._store.close(order["id"])
        else:
            swap = swap_id(destination_chain, destination.htlc, order["terms"]["destination"])
            self._follow(order, source_id, source_state, swap, destination_chain.initiated_at(destination.htlc, swap))

    def _consider(self, order: dict, source_id: str, source_state: int):
        """Pays, or decides never to pay, only on what our own node says."""
        source, destination, source_chain, destination_chain = self._sides(order)
        now = source_chain.head()[1]
        if source_state == 0:
            if now > order["terms"]["deadline"] + FORGET_SECONDS:
                self._store.decide(order["id"], "refund", "the user did not fund it")
            return
        if source_state in (REDEEMED, REFUNDED):
            self._store.decide(order["id"], "refund", "the source is settled")
            return
        self._store.set_funded(order["id"])
        confirmed_at = self._state_at_depth(source_chain, source.htlc, source_id, source_chain.confirmations)
        if confirmed_at in (0, REDEEMED, REFUNDED):
            return
        reason = self._why_not(order, confirmed_at, now)
        if reason is not None:
            self._store.decide(order["id"], "refund", reason)
            print(f"order {order['id']} is declined: {reason}", flush=True)
        elif self._balance_without(destination, lambda other: other["decision"] == "pay") < int(order["terms"]["destination"]["amount"]):
            print(f"order {order['id']} waits: not enough {destination.name}", flush=True)
        elif self._store.decide(order["id"], "pay", locked_from=destination_chain.head()[0]):
            self._lock(order)

    def _why_not(self, order: dict, initiated_at: int, now: int):
        terms = order["terms"]
        source, destination, _, _ = self._sides(order)
        if initiated_at > terms["deadline"]:
            return "it was funded after the deadline"
        if self._is_too_late(order, initiated_at, now):
            return "the source could end before it is redeemed"
        # The user's slippage is not our tolerance.
        price = self._prices.amount_out(source, destination, int(terms["source"]["amount"]), self._spread_bips + terms["extra_fee_bips"])
        if price * (10_000 + self._tolerance_bips) < int(terms["destination"]["amount"]) * 10_000:
            return "the price has moved"
        return None

    def _is_too_late(self, order: dict, initiated_at: int, now: int) -> bool:
        """The destination ends, is refunded, and still there is time to redeem the source: each may take a margin."""
        _, _, source_chain, destination_chain = self._sides(order)
        left = initiated_at + source_chain.source_timelock - max(now, int(time.time()))
        return left < destination_chain.destination_timelock + 2 * destination_chain.margin + source_chain.margin

    def _lock(self, order: dict):
        _, destination, _, chain = self._sides(order)
        terms = order["terms"]["destination"]
        amount = int(terms["amount"])
        data = INITIATE + encode(terms["redeemer"], terms["timelock"], amount, terms["secret_hash"])
        self._transact(chain, f"initiate {order['id']}", call_of(destination.htlc, data, amount if destination.token is None else 0))

    def _follow(self, order: dict, source_id: str, source_state: int, swap: str, state: int):
        """The destination may be locked. Ends when both sides are settled, with confirmations."""
        source, destination, source_chain, chain = self._sides(order)
        terms = order["terms"]["destination"]
        if state == 0:
            if source_state > REFUNDED and not self._is_too_late(order, source_state, source_chain.head()[1]):
                self._lock(order)
            else:
                self._cancel_lock(order, chain)
        elif state == REDEEMED:
            secret = chain.secret_of(destination.htlc, swap, order["locked_from"])
            if secret is None or hashlib.sha256(secret).hexdigest() != terms["secret_hash"]:
                raise ValueError("the destination is redeemed, but its secret is not in the logs")
            if source_state > REFUNDED:
                self._redeem(order, secret)
            elif self._is_confirmed(source_chain, source.htlc, source_id):
                self._store.close(order["id"])
        elif state == REFUNDED:
            if self._is_confirmed(chain, destination.htlc, swap):
                self._store.close(order["id"])
        elif chain.head()[1] >= state + terms["timelock"]:
            data = REFUND + encode(terms["initiator"], terms["redeemer"], terms["timelock"], int(terms["amount"]), terms["secret_hash"])
            self._transact(chain, f"refund {order['id']}", call_of(destination.htlc, data))

    def _redeem(self, order: dict, secret: bytes):
        source, _, chain, _ = self._sides(order)
        terms = order["terms"]["source"]
        data = REDEEM + encode(terms["initiator"], terms["redeemer"], terms["timelock"], int(terms["amount"]), secret)
        self._transact(chain, f"redeem {order['id']}", call_of(source.htlc, data))

    def is_refunded_for_good(self, order: dict) -> bool:
        """The destination is ours again, and no reorg will change that: then the user may have the source back too."""
        _, destination, _, chain = self._sides(order)
        swap = swap_id(chain, destination.htlc, order["terms"]["destination"])
        return self._state_at_depth(chain, destination.htlc, swap, chain.final_blocks) == REFUNDED

    @staticmethod
    def _state_at_depth(chain: Chain, htlc: str, swap: str, blocks: int) -> int:
        return chain.initiated_at(htlc, swap, hex(max(chain.head()[0] - blocks + 1, 0)))

    def _is_confirmed(self, chain: Chain, htlc: str, swap: str) -> bool:
        return self._state_at_depth(chain, htlc, swap, chain.confirmations) in (REDEEMED, REFUNDED)

    def _cancel_lock(self, order: dict, chain: Chain):
        """An unmined lock could be mined too late. Its nonce is used for nothing instead."""
        sent = self._store.transactions(f"initiate {order['id']}")
        nothing = call_of(self._account.address, b"")
        if not sent:
            self._store.close(order["id"])
        elif chain.next_nonce() > sent[-1]["nonce"]:
            depth = max(chain.head()[0] - chain.confirmations + 1, 0)
            if int(chain.rpc("eth_getTransactionCount", self._account.address, hex(depth)), 16) > sent[-1]["nonce"]:
                self._store.close(order["id"])
        elif json.loads(sent[-1]["call"]) != nothing:
            self._record_and_send(chain, sent[-1]["nonce"], sent[-1]["purpose"], nothing, sent[-1]["gas"], sent[-1])

    def _approve_all(self):
        for asset in self._assets.values():
            chain = self._chains[asset.chain]
            if asset.token is None or chain.read(asset.token, ALLOWANCE + encode(self._account.address, asset.htlc)) > UNLIMITED // 2:
                continue
            self._transact(chain, f"approve {asset.name}", call_of(asset.token, APPROVE + encode(asset.htlc, UNLIMITED)))

    def _transact(self, chain: Chain, purpose: str, call: dict):
        """Signs once for a purpose, and again only after a revert. `_push` sends it until it is mined."""
        before = self._store.transactions(purpose)
        reverts = 0
        for transaction in before:
            receipt = chain.receipt(transaction["hash"])
            if receipt is not None and receipt["status"] == "0x0":
                reverts += 1
            elif receipt is not None:
                return
        if before and (chain.next_nonce() <= before[-1]["nonce"] or reverts == 0 or reverts >= MAX_REVERTS):
            return
        nonce = max(chain.next_nonce(), self._store.next_nonce(chain.name))
        self._record_and_send(chain, nonce, purpose, call, chain.estimate_gas(call))

    def _push(self, chain: Chain):
        """Sends what is not mined again; offers a higher fee for the first one if it waits for long. A gap in the nonces would stop all others."""
        for index, transaction in enumerate(self._store.unmined(chain.name, chain.next_nonce())):
            if index == 0 and time.time() - transaction["sent_at"] > BUMP_SECONDS:
                call = json.loads(transaction["call"])
                self._record_and_send(chain, transaction["nonce"], transaction["purpose"], call, transaction["gas"], transaction)
            else:
                self._send(chain, transaction["purpose"], transaction["raw"])

    def _record_and_send(self, chain: Chain, nonce: int, purpose: str, call: dict, gas: int, replaced=None):
        signed = chain.sign(nonce, call, gas, replaced)
        self._store.add_transaction(chain.name, nonce, purpose, call, signed, time.time())
        self._send(chain, purpose, signed["raw"])

    @staticmethod
    def _send(chain: Chain, purpose: str, raw: str):
        try:
            chain.rpc("eth_sendRawTransaction", raw)
        except RpcError as error:
            # Often it is known or mined already. The state of the chain decides, not this answer.
            print(f"{purpose}: {error}", flush=True)
