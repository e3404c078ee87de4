"""Keccak-256 as Ethereum uses it: hashlib's sha3_256 has another padding."""

_ROUNDS = [
    0x0000000000000001, 0x0000000000008082, 0x800000000000808A, 0x8000000080008000, 0x000000000000808B, 0x0000000080000001,
    0x8000000080008081, 0x8000000000008009, 0x000000000000008A, 0x0000000000000088, 0x0000000080008009, 0x000000008000000A,
    0x000000008000808B, 0x800000000000008B, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
    0x000000000000800A, 0x800000008000000A, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
]
_MASK = (1 << 64) - 1
_RATE = 136


def _rotate(word, bits):
    bits %= 64
    return ((word << bits) | (word >> (64 - bits))) & _MASK if bits else word


def _permute(lanes):
    for constant in _ROUNDS:
        columns = [lanes[x][0] ^ lanes[x][1] ^ lanes[x][2] ^ lanes[x][3] ^ lanes[x][4] for x in range(5)]
        for x in range(5):
            mix = columns[(x + 4) % 5] ^ _rotate(columns[(x + 1) % 5], 1)
            lanes[x] = [lane ^ mix for lane in lanes[x]]
        x, y, current = 1, 0, lanes[1][0]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            current, lanes[x][y] = lanes[x][y], _rotate(current, (step + 1) * (step + 2) // 2)
        for y in range(5):
            row = [lanes[x][y] for x in range(5)]
            for x in range(5):
                lanes[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5] & _MASK)
        lanes[0][0] ^= constant


def keccak256(data: bytes) -> bytes:
    padded = bytearray(data) + b"\x01" + bytes(_RATE - 1 - len(data) % _RATE)
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), _RATE):
        for index in range(_RATE // 8):
            lanes[index % 5][index // 5] ^= int.from_bytes(padded[start + 8 * index : start + 8 * index + 8], "little")
        _permute(lanes)
    return b"".join(lanes[index % 5][index // 5].to_bytes(8, "little") for index in range(4))
