"""Prices from the configuration: whole numbers only, rounded in the solver's favour."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Asset:
    name: str
    chain: str
    htlc: str
    token: str | None
    decimals: int
    usd_e8: int
    """Hundred-millionths of a US dollar for one whole unit."""


def amount_out(source: Asset, destination: Asset, amount: int, fee_bips: int) -> int:
    top = amount * source.usd_e8 * 10**destination.decimals * (10_000 - fee_bips)
    return top // (destination.usd_e8 * 10**source.decimals * 10_000)


def amount_in(source: Asset, destination: Asset, amount: int, fee_bips: int) -> int:
    top = amount * destination.usd_e8 * 10**source.decimals * 10_000
    return -(-top // (source.usd_e8 * 10**destination.decimals * (10_000 - fee_bips)))
