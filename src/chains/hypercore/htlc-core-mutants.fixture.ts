/** Mutants of the HTLC for tokens of HyperCore: `playHtlcCore` must catch each. What it shares with the other HTLCs is broken there. */
import type { Mutant } from '../../../contracts/evm/mutation/mutants.ts'

type Break = readonly [name: string, text: string, replacement: string]

const htlc: readonly Break[] = [
  ['a token that is not linked', 'if (info.evmContract.code.length == 0 || extra < 0', 'if (extra < 0'],
  ['a token with fewer decimals on HyperEVM', '|| extra < 0 ||', '||'],
  ['amounts are in units of the ERC-20', '_evmPerCore = 10 ** uint8(extra);', '_evmPerCore = 1;'],
  [
    'a signature is not checked',
    '_requireSignature(\n            initiator,\n            _typedDataDigest(_initiateHash(redeemer, timelock, amount, secretHash)),\n            signature\n        );',
    'signature;',
  ],
  [
    'the relayer pays instead of the signer',
    '_openFor(initiator, redeemer, timelock, amount, secretHash);\n        _collect(initiator',
    '_openFor(initiator, redeemer, timelock, amount, secretHash);\n        _collect(msg.sender',
  ],
  ['a deposit funds an order after its deadline', 'if (block.timestamp > deadline) revert HTLC__DepositTooLate();', ''],
  ['a deposit funds an order at most until before its deadline', 'block.timestamp > deadline', 'block.timestamp + 3600 > deadline'],
  ['a deposit that is too small funds an order', 'if (received < needed) revert HTLC__AmountNotReceived();', ''],
  ['a surplus stays in the contract', '_giveBack(initiator, received - needed);', ''],
  ['a surplus goes to the redeemer', '_giveBack(initiator, received - needed);', '_giveBack(redeemer, received - needed);'],
  [
    'anyone may reclaim a deposit that waits',
    'msg.sender != initiator && block.timestamp <= deadline',
    'msg.sender == address(0) && block.timestamp <= deadline',
  ],
  [
    'nobody but the initiator may reclaim after the deadline',
    'msg.sender != initiator && block.timestamp <= deadline && this.initiatedAt(id) == 0',
    'msg.sender != initiator && this.initiatedAt(id) == 0',
  ],
  ['nobody but the initiator may reclaim what an order does not need', ' && this.initiatedAt(id) == 0', ''],
  ['a reclaim pays its caller', '_giveBack(initiator, received);', '_giveBack(msg.sender, received);'],
  ['a reclaim emits no event', 'emit DepositReclaimed(id, received);', ''],
  [
    'an address without the deadline',
    'return keccak256(abi.encode(id, deadline));',
    'deadline;\n        return keccak256(abi.encode(id));',
  ],
  ['an amount that HyperCore cannot count', 'if (amount > type(uint64).max) revert HTLC__AmountTooLarge();', ''],
  [
    'an order is open whatever arrived',
    'if (Transfers.pull(_token, from, needed) < needed) revert HTLC__AmountNotReceived();',
    'Transfers.pull(_token, from, needed);',
  ],
  ['a payout to a contract goes to HyperCore', 'payee.code.length == 0 && ', ''],
  ['a payout to nobody goes to HyperCore', 'HyperCore.exists(payee)\n            && ', ''],
  ['a payout leaves an HTLC without an account', '\n            && HyperCore.exists(address(this))', ''],
  ['a payout crosses a bridge without funds', ' && _isBacked();', ';'],
  ['the count at deployment does not matter', 'supply <= _bridgeFunds && ', ''],
  ['the funds now do not matter', ' && supply <= HyperCore.bridgeFunds(_token, _coreToken, _evmPerCore)', ''],
  ['dust is lost', 'if (dust != 0) Transfers.push(_token, to, dust);', ''],
  [
    'a payout stays in the contract’s account',
    'reachesCore(to, amount) && HyperCore.spotSend(to, _coreToken, uint64(amount))',
    'reachesCore(to, amount)',
  ],
  [
    'a payout is in units of the ERC-20',
    'Transfers.push(_token, receiver, amount * _evmPerCore);',
    'Transfers.push(_token, receiver, amount);',
  ],
  ['recounting may raise the count', 'if (current >= _bridgeFunds) return;', ''],
  ['recounting does not count', '_bridgeFunds = current;\n        emit', 'emit'],
  ['recounting emits no event', 'emit BridgeFundsCounted(current);', ''],
]

const deposit: readonly Break[] = [
  ['native coin goes to the contract', 'selfdestruct(initiator);', 'initiator;\n        selfdestruct(payable(msg.sender));'],
  ['a deposit stays where it is', 'if (balance != 0) Transfers.push(address(token), msg.sender, balance);', 'balance;'],
  ['an address can be emptied once', 'selfdestruct(initiator);', 'initiator.transfer(address(this).balance);'],
]

const reads: readonly Break[] = [
  ['another system address', 'uint160(0x20) << 152', 'uint160(0x21) << 152'],
  ['an account that only may exist', 'return answer == 1;', 'return answer <= 1;'],
  ['a supply that is unknown is none', 'if (!success) supply = type(uint256).max;', ''],
  ['another action', '0x01000006', '0x01000007'],
  [
    'the sender decides by its gas where a payout goes',
    'if (gasleft() * 62 / 64 < WRITE_GAS) revert HTLC__GasTooLow();',
    'if (gasleft() * 62 / 64 < WRITE_GAS) return false;',
  ],
  ['a writer that refuses counts as one that accepts', '(accepted,) = CORE_WRITER.call(', 'accepted = true;\n        CORE_WRITER.call('],
  ['a writer that is gone counts as one that accepts', 'if (CORE_WRITER.code.length == 0) return false;', ''],
]

export const coreMutants: readonly Mutant[] = [
  ...ofFile('hypercore/HtlcCore.sol', htlc),
  ...ofFile('hypercore/CoreDeposit.sol', deposit),
  ...ofFile('hypercore/HyperCore.sol', reads),
]

function ofFile(file: Mutant['file'], breaks: readonly Break[]): readonly Mutant[] {
  return breaks.map(([name, text, replacement]) => ({ name, file, text, replacement, kind: 'HyperCore' }))
}
