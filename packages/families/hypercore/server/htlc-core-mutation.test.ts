// Tests that every deliberately broken variant of the HTLC for tokens of HyperCore fails the scenario. The code that it shares with other
// HTLCs has its mutants beside them.
import { findSurvivors } from '@tandem/evm/contract/mutation/compile-mutants.ts'
import { type Break, type Mutant, ofFile } from '@tandem/evm/contract/mutation/mutants.ts'
import { expect, test } from 'vitest'
import { playHtlcCore } from './htlc-core-scenario.fixture.ts'
import { createHypercoreFixture } from './hypercore.fixture.ts'

const htlc: readonly Break[] = [
  [
    'amounts are in units of the ERC-20',
    '_evmPerCore = 10 ** uint8(HyperCore.linkOf(coreToken_).evmExtraWeiDecimals);',
    '_evmPerCore = 1;',
  ],
  ['a signature takes no money from the account', 'if (_isHeldBy(initiator, amount)) _takeFrom(initiator, amount);\n        else ', ''],
  ['an order that refunds to nobody', 'if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();\n        if (block', 'if (block'],
  ['a consent after the deadline', 'if (block.timestamp > deadline) revert HTLC__TooLate();', ''],
  [
    'a consent to what HyperCore cannot count',
    'if (amount > type(uint64).max) revert HTLC__AmountTooLarge();\n        if (_isHeldBy',
    'if (_isHeldBy',
  ],
  ['a consent to an order that exists', 'if (_state(id) != 0) revert HTLC__DuplicateOrder();', ''],
  ['a consent is not recorded', '_consents[_consentKey(msg.sender, id)] = deadline;', ''],
  [
    'a consent of the initiator, whoever calls',
    '_consents[_consentKey(msg.sender, id)] = deadline;',
    '_consents[_consentKey(address(0), id)] = deadline;',
  ],
  ['a consent keeps nobody from emptying the account', 'if (deadline > _busyUntil[msg.sender]) _busyUntil[msg.sender] = deadline;', ''],
  ['a consent emits no event', 'emit Consented(id, msg.sender, deadline);', ''],
  ['a consent does not cross', 'if (_cross(msg.sender)) return;', ''],
  ['a value that is not needed stays in the contract', 'if (msg.value != 0) Transfers.pushNative(msg.sender, msg.value);', ''],
  [
    'money on HyperEVM is not locked at once',
    'if (_isHeldBy(msg.sender, amount)) {',
    'if (_isHeldBy(msg.sender, amount) && amount == 0) {',
  ],
  ['an order is initiated without a consent', 'if (block.timestamp > _consents[_consentKey(owner, id)]) revert HTLC__NoConsent();', 'id;'],
  ['a consent ends before its deadline', 'block.timestamp > _consents', 'block.timestamp + 3600 > _consents'],
  ['a consent without the owner', 'return keccak256(abi.encode(owner, id));', 'owner;\n        return keccak256(abi.encode(id));'],
  ['a consent without the order', 'return keccak256(abi.encode(owner, id));', 'id;\n        return keccak256(abi.encode(owner));'],
  [
    'a consented order takes nothing',
    '_open(initiator, redeemer, timelock, amount, secretHash);\n        _takeFrom(owner, amount);',
    '_open(initiator, redeemer, timelock, amount, secretHash);',
  ],
  ['a crossing of nothing', 'if (!_cross(owner)) revert HTLC__NothingToCross();', '_cross(owner);'],
  ['a crossing of a part', '_coreToken, balance, msg.value);', '_coreToken, balance - 1, msg.value);'],
  ['a crossing to somebody else', '_act(owner, 0, HyperCore.systemAddress(_coreToken)', '_act(owner, 0, msg.sender'],
  ['a crossing without HYPE', '_coreToken, balance, msg.value);', '_coreToken, balance, 0);'],
  ['a value that HyperCore cannot count', 'if (msg.value % HyperCore.WEI_PER_HYPE_UNIT != 0) revert HTLC__ValueNotWhole();', ''],
  ['anyone withdraws', '_emptyAccount(msg.sender, coreToken_);', '_emptyAccount(coreToken_ == 1 ? tx.origin : msg.sender, _coreToken);'],
  [
    'a withdrawal of the own token only',
    '_emptyAccount(msg.sender, coreToken_);',
    'coreToken_;\n        _emptyAccount(msg.sender, _coreToken);',
  ],
  ['a reclaim without a consent, or long after', ' && block.timestamp - consent <= RECLAIM_WINDOW', ''],
  [
    'a reclaim before a deadline',
    'return block.timestamp > _busyUntil[owner] && block.timestamp - consent',
    'owner;\n        return consent != 0 && consent < block.timestamp && block.timestamp - consent',
  ],
  ['an act within the transaction of somebody else', '_requireWholeTransaction(owner);', ''],
  ['a reclaim again and again', 'delete _consents[key];', ''],
  ['a reclaim of nothing', 'if (!_emptyAccount(owner, _coreToken)) revert HTLC__NotReclaimable();', '_emptyAccount(owner, _coreToken);'],
  [
    'what HyperCore has is not returned',
    '_act(owner, evmAmount, owner, coreToken_, coreAmount, 0);',
    '_act(owner, evmAmount, owner, coreToken_, 0, 0);',
  ],
  ['what is returned to an owner without an account is dropped', 'HyperCore.exists(owner) && (owner.code', '(owner.code'],
  ['anyone sends the money of a contract to HyperCore', ' && (owner.code.length == 0 || owner == msg.sender)', ''],
  ['a contract cannot withdraw on HyperCore', ' || owner == msg.sender)', ')'],
  ['what HyperCore has goes to the caller', '_act(owner, evmAmount, owner, coreToken_', '_act(owner, evmAmount, msg.sender, coreToken_'],
  ['what HyperEVM has goes to the caller', 'if (evmAmount != dust) _pay(owner,', 'if (evmAmount != dust) _pay(msg.sender,'],
  ['emptying emits no event', 'emit AccountEmptied(owner, evmAmount, coreToken_, coreAmount);', ''],
  ['an account of everybody', 'return bytes32(uint256(uint160(owner)));', 'owner;\n        return bytes32(0);'],
  ['what can be neither used nor returned is reported', 'if (!initiable && !_isReclaimable(consent, owners[i])) continue;', 'initiable;'],
  ['what can be returned is not reported', 'if (!initiable && !_isReclaimable(consent, owners[i])) continue;', 'if (!initiable) continue;'],
  [
    'what can be initiated is not reported',
    'if (!initiable && !_isReclaimable(consent, owners[i])) continue;',
    'if (initiable || !_isReclaimable(consent, owners[i])) continue;',
  ],
  ['what HyperCore holds is not reported', ' / _evmPerCore + HyperCore.spotBalance(account, _coreToken);', ' / _evmPerCore;'],
  [
    'an amount that HyperCore cannot count',
    'if (amount > type(uint64).max) revert HTLC__AmountTooLarge();\n        super._open(',
    'super._open(',
  ],
  ['a payout to a contract goes to HyperCore', 'payee.code.length == 0 && ', ''],
  ['a payout to nobody goes to HyperCore', 'HyperCore.exists(payee)\n            && ', ''],
  ['a payout leaves an HTLC without an account', '\n            && HyperCore.exists(address(this))', ''],
  ['a payout crosses a bridge without funds', ' && _isBacked();', ';'],
  ['the count at deployment does not matter', 'supply <= _bridgeFunds && ', ''],
  ['the funds now do not matter', ' && supply <= HyperCore.bridgeFunds(_token, _coreToken, _evmPerCore)', ''],
  ['dust is lost', 'if (dust != 0) Transfers.push(_token, owner, dust);', ''],
  [
    'a payout stays in the contract’s account',
    'reachesCore(to, amount) && HyperCore.spotSend(to, _coreToken, uint64(amount))',
    'reachesCore(to, amount)',
  ],
  ['a payout is in units of the ERC-20', 'super._pay(receiver, amount * _evmPerCore);', 'super._pay(receiver, amount);'],
  ['recounting may raise the count', 'if (current >= _bridgeFunds) return;', ''],
  ['recounting does not count', '_bridgeFunds = current;\n        emit', 'emit'],
  ['recounting emits no event', 'emit BridgeFundsCounted(current);', ''],
]

const initiations: readonly Break[] = [
  ['a signature takes the money of the account of its redeemer', '_collectSigned(initiator, amount);', '_collectSigned(redeemer, amount);'],
]

const account: readonly Break[] = [
  ['native coin goes to the contract', 'selfdestruct(payable(task.owner));', 'selfdestruct(payable(msg.sender));'],
  ['money stays in the account', 'if (task.evmAmount != 0) Transfers.push(task.token, msg.sender, task.evmAmount);', ''],
  ['HYPE stays on HyperEVM', 'if (msg.value != 0) Transfers.pushNative(HyperCore.HYPE_BRIDGE, msg.value);', ''],
  ['an account can act once', 'selfdestruct(payable(task.owner));', 'payable(task.owner).transfer(address(this).balance);'],
  [
    'an action that is not taken counts as done',
    'if (task.coreAmount != 0 && !HyperCore.spotSend(task.coreTo, task.coreToken, task.coreAmount)) {\n            revert ICoreAccountTask.HTLC__ActionRefused();\n        }',
    'if (task.coreAmount != 0) HyperCore.spotSend(task.coreTo, task.coreToken, task.coreAmount);',
  ],
]

const reads: readonly Break[] = [
  ['a token that is not linked', 'if (info.evmContract.code.length == 0 || extra < 0', 'if (extra < 0'],
  ['a token with fewer decimals on HyperEVM', '|| extra < 0 ||', '||'],
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

const coreMutants: readonly Mutant[] = [
  ...ofFile('hypercore/HtlcCore.sol', 'HyperCore', htlc),
  ...ofFile('HtlcToken.sol', 'HyperCore', initiations),
  ...ofFile('hypercore/CoreAccount.sol', 'HyperCore', account),
  ...ofFile('hypercore/HyperCore.sol', 'HyperCore', reads),
]

test(`the contract differs from each of ${coreMutants.length} broken variants`, { timeout: 600_000 }, async () => {
  const fixture = await createHypercoreFixture()
  const survivors = await findSurvivors('HyperCore', coreMutants, async (bytecode) => {
    const start = await fixture.local.request({ method: 'evm_snapshot' })
    try {
      await playHtlcCore(fixture, bytecode)
    } finally {
      await fixture.local.request({ method: 'evm_revert', params: [start] })
    }
  })
  expect(survivors).toEqual([])
  await fixture.close()
})
