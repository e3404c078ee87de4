"""The data that must survive a crash, in SQLite: quotes, the orders, the decision on each, and every signed transaction before it is sent."""
import json
import sqlite3
import threading

SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = full;
create table if not exists quotes (
  id text primary key,
  terms text not null,
  received text not null,
  expires_at integer not null,
  -- The order that was made with it.
  order_id text
);
create index if not exists quoted on quotes (terms);
create table if not exists orders (
  id text primary key,
  secret_hash text not null unique,
  terms text not null,
  funded integer not null default 0,
  -- 'pay': the destination may be locked. 'refund': it never will be, and the user may have the source back. Set once, never changed.
  decision text check (decision in ('pay', 'refund')),
  reason text,
  locked_from integer,
  closed integer not null default 0
);
create index if not exists open_orders on orders (id) where not closed;
create table if not exists transactions (
  hash text primary key,
  chain text not null,
  nonce integer not null,
  purpose text not null,
  call text not null,
  raw text not null,
  gas integer not null,
  fee integer not null,
  tip integer not null,
  sent_at real not null
);
create index if not exists by_nonce on transactions (chain, nonce);
create index if not exists by_purpose on transactions (purpose);
"""


class Store:
    def __init__(self, path: str):
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.row_factory = sqlite3.Row
        self._db.executescript(SCHEMA)
        self._lock = threading.Lock()

    def _run(self, statement: str, *values):
        with self._lock:
            return self._db.execute(statement, values).fetchall()

    def add_quote(self, quote_id: str, terms: str, received: int, now: int, expires_at: int):
        self._run("delete from quotes where expires_at < ?", now)
        self._run("insert into quotes (id, terms, received, expires_at) values (?, ?, ?, ?)", quote_id, terms, str(received), expires_at)

    def take_quote(self, terms: str, asked: int, order_id: str, quote_id: str | None, now: int) -> int | None:
        """The amount of the best open quote that covers the order, to which it then belongs. None if there is none."""
        with self._lock:
            rows = self._db.execute(
                "select id, received from quotes where terms = ? and id = coalesce(?, id) and expires_at > ? and coalesce(order_id, ?) = ?",
                (terms, quote_id, now, order_id, order_id),
            ).fetchall()
            best = max(rows, key=lambda row: int(row["received"]), default=None)
            if best is None or int(best["received"]) < asked:
                return None
            self._db.execute("update quotes set order_id = ? where id = ?", (order_id, best["id"]))
            return int(best["received"])

    def was_quoted(self, terms: str, asked: int, now: int) -> bool:
        rows = self._run("select received from quotes where terms = ? and expires_at > ? and order_id is not null", terms, now)
        return any(int(row["received"]) >= asked for row in rows)

    def add_order(self, order_id: str, secret_hash: str, terms: dict) -> bool:
        """False if the order or its secret hash exists."""
        rows = self._run(
            "insert into orders (id, secret_hash, terms) values (?, ?, ?) on conflict do nothing returning id", order_id, secret_hash, json.dumps(terms)
        )
        return len(rows) == 1

    def order(self, order_id: str):
        rows = self._run("select * from orders where id = ?", order_id)
        return dict(rows[0], terms=json.loads(rows[0]["terms"])) if rows else None

    def open_orders(self):
        return [dict(row, terms=json.loads(row["terms"])) for row in self._run("select * from orders where not closed")]

    def count_open(self) -> int:
        return self._run("select count(*) as count from orders where not closed")[0]["count"]

    def set_funded(self, order_id: str):
        self._run("update orders set funded = 1 where id = ?", order_id)

    def decide(self, order_id: str, decision: str, reason=None, locked_from=None) -> bool:
        """True if this is the recorded decision. If two are made at the same time, the first one counts."""
        self._run(
            "update orders set decision = ?, reason = ?, locked_from = ? where id = ? and decision is null", decision, reason, locked_from, order_id
        )
        return self._run("select decision from orders where id = ?", order_id)[0]["decision"] == decision

    def close(self, order_id: str):
        self._run("update orders set closed = 1 where id = ?", order_id)

    def add_transaction(self, chain: str, nonce: int, purpose: str, call: dict, signed: dict, now: float):
        self._run(
            "insert into transactions (hash, chain, nonce, purpose, call, raw, gas, fee, tip, sent_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            signed["hash"], chain, nonce, purpose, json.dumps(call), signed["raw"], signed["gas"], signed["fee"], signed["tip"], now,
        )

    def transactions(self, purpose: str):
        return self._run("select * from transactions where purpose = ? order by sent_at", purpose)

    def unmined(self, chain: str, next_nonce: int):
        """The newest transaction of each nonce that the chain has not used, lowest nonce first."""
        return self._run(
            "select *, max(sent_at) from transactions where chain = ? and nonce >= ? group by nonce order by nonce limit 20", chain, next_nonce
        )

    def next_nonce(self, chain: str) -> int:
        rows = self._run("select coalesce(max(nonce) + 1, 0) as next from transactions where chain = ?", chain)
        return rows[0]["next"]
