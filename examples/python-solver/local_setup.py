"""Prepares the solver for `tandem devnet`: keys, money from the faucet, config.json, and its entry in the service's configuration."""
import json
import os
import secrets
import shutil
import socket
import sys
import urllib.request
from pathlib import Path

from evm import Account
from signatures import Signer

CHAINS = ["ethereum_localnet", "arbitrum_localnet"]
DECIMALS = {"eth": 18, "wbtc": 8, "usdc": 6}
FUNDS = {"eth": 5 * 10**18, "wbtc": 10**8, "usdc": 20_000 * 10**6}
SOLVER_ID = "python-solver"
# Those of the registry for the local chains: a service refuses other timelocks.
CHAIN_SETTINGS = {"confirmations": 1, "final_blocks": 12, "source_timelock": 1200, "destination_timelock": 180, "margin_seconds": 45}


def new_secret(path: Path) -> bytes:
    seed = secrets.token_bytes(32)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(seed.hex() + "\n")
    return seed


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def chain_settings(chain: dict) -> dict:
    return {"rpc": chain["rpc_url"], "chain_id": chain["chain_id"], **CHAIN_SETTINGS}


def main():
    stack = Path(sys.argv[1])
    port = int(sys.argv[2]) if len(sys.argv) > 2 else free_port()
    folder = stack / SOLVER_ID
    # The chains of an earlier start are gone, and so is the money of its keys.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    local = json.loads((stack / "local.json").read_text())
    service = json.loads((stack / "service.json").read_text())
    account = Account(new_secret(folder / "money"))
    signer = Signer(new_secret(folder / "signing"))
    feed = service["price_feed"]
    exchange = next(source for source in feed["sources"] if source["kind"] == "kraken")
    service_signer = Signer(bytes.fromhex((stack / service["solver_signing_key"]["file"]).read_text().strip()))

    assets = {}
    for chain in CHAINS:
        for asset, contracts in local["chains"][chain]["assets"].items():
            symbol = asset.split(":")[1]
            token = contracts.get("token")
            assets[asset] = {"htlc": contracts["htlc"], "token": token, "decimals": DECIMALS[symbol], "symbol": exchange["symbols"][feed["markets"][asset]]}
            body = json.dumps({"asset": asset, "address": account.address, "amount": str(FUNDS[symbol])}).encode()
            request = urllib.request.Request(local["faucet_url"], body, {"content-type": "application/json"})
            urllib.request.urlopen(request, timeout=30).close()

    config = {
        "solver_id": SOLVER_ID,
        "listen": {"host": "127.0.0.1", "port": port},
        "private_key_file": "money",
        "signing_key_file": "signing",
        "database": "orders.sqlite",
        "exchange_url": exchange["url"],
        "services": [{"id": "local-service", "public_key": service_signer.public_key}],
        "spread_bips": 30,
        "tolerance_bips": 100,
        "quote_seconds": 60,
        "price_hold_seconds": 300,
        "chains": {name: chain_settings(local["chains"][name]) for name in CHAINS},
        "assets": assets,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    service["solvers"] = [{"id": SOLVER_ID, "url": f"http://127.0.0.1:{port}", "public_key": signer.public_key}]
    # Only solvers that settle its price with the operator may take orders with coin for fees.
    service.pop("destination_gas", None)
    (stack / "service.json").write_text(json.dumps(service, indent=2) + "\n")
    print(account.address)


main()
