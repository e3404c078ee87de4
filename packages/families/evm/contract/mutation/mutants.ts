// Lists the mutants: each replaces one text of one source, and a scenario must catch it. HyperCore's family has more of `HtlcCore.sol`.
import type { HtlcKind } from '../htlc.fixture.ts'

export type MutantKind = HtlcKind | 'distributor'

export interface Mutant {
  readonly name: string
  readonly file:
    | 'BriefAccounts.sol'
    | 'DepositAccount.sol'
    | 'Deposits.sol'
    | 'GasWithPayout.sol'
    | 'Htlc.sol'
    | 'HtlcErc20.sol'
    | 'HtlcNative.sol'
    | 'HtlcToken.sol'
    | 'Signatures.sol'
    | 'Transfers.sol'
    | 'distributor/Distributor.sol'
    | 'hypercore/CoreAccount.sol'
    | 'hypercore/HtlcCore.sol'
    | 'hypercore/HyperCore.sol'
    | 'tron/HtlcTrc20.sol'
    | 'tron/StoredDeposits.sol'
  /** The text occurs exactly once in the file. */
  readonly text: string
  readonly replacement: string
  readonly kind: MutantKind
}

export type Break = readonly [name: string, text: string, replacement: string]

const core: readonly Break[] = [
  ['redeem does not check that the order is open', '_requireOpen(id);\n        _settleByRedeeming', '_settleByRedeeming'],
  ['what follows a redeem comes before it', '        _pay(redeemer, amount);\n        _;', '        _;\n        _pay(redeemer, amount);'],
  [
    'redeem pays before it settles',
    '_settleByRedeeming(id, secret);\n        _pay(redeemer, amount);',
    '_pay(redeemer, amount);\n        _settleByRedeeming(id, secret);',
  ],
  [
    'redeem pays the initiator',
    '_settleByRedeeming(id, secret);\n        _pay(redeemer, amount);',
    '_settleByRedeeming(id, secret);\n        _pay(initiator, amount);',
  ],
  ['redeem accepts the hash as the secret', 'bytes32 secretHash = _sha256(secret);', 'bytes32 secretHash = secret;'],
  [
    'the secret is hashed by another function',
    'if iszero(staticcall(gas(), 2, 0, 32, 0, 32)) { revert(0, 0) }',
    'mstore(0, keccak256(0, 32))',
  ],
  ['a redeemed order stays open', '_setState(id, REDEEMED);', ''],
  ['a redeemed order leaves no mark', '_setState(id, REDEEMED);', '_setState(id, 0);'],
  ['a redeemed order is marked as refunded', '_setState(id, REDEEMED);', '_setState(id, REFUNDED);'],
  ['a refunded order stays open', '_setState(id, REFUNDED);\n        emit Refunded', 'emit Refunded'],
  ['a refunded order leaves no mark', '_setState(id, REFUNDED);\n        emit Refunded', '_setState(id, 0);\n        emit Refunded'],
  ['a batch reverts for one bad item', '<= REFUNDED) continue;', '<= REFUNDED) revert HTLC__OrderSettled();'],
  ['a batch does not check that orders are open', 'if (_state(id) <= REFUNDED) continue;', ''],
  ['a batch redeems refunded orders', '<= REFUNDED) continue;', '< REFUNDED) continue;'],
  ['a batch pays its last item only', 'total += item.amount;', 'total = item.amount;'],
  ['a batch pays nothing', 'if (total != 0) _pay(redeemer, total);', ''],
  [
    'a batch pays before it settles',
    '_settleByRedeeming(id, item.secret);\n            total += item.amount;',
    '_pay(redeemer, item.amount);\n            _settleByRedeeming(id, item.secret);',
  ],
  ['a refund does not wait', 'if (block.timestamp - _requireOpen(id) < timelock) revert HTLC__OrderNotExpired();', '_requireOpen(id);'],
  ['a refund waits a second longer', '_requireOpen(id) < timelock)', '_requireOpen(id) <= timelock)'],
  ['a refund is possible only before expiry', '_requireOpen(id) < timelock)', '_requireOpen(id) > timelock)'],
  ['a refund does not check that the order is open', 'block.timestamp - _requireOpen(id)', 'block.timestamp - _state(id)'],
  [
    'a refund pays the redeemer',
    '        }\n        _settleByRefunding(id);\n        _pay(initiator, amount);\n    }\n\n    /// @inheritdoc IHtlc\n    function instantRefund(',
    '        }\n        _settleByRefunding(id);\n        _pay(redeemer, amount);\n    }\n\n    /// @inheritdoc IHtlc\n    function instantRefund(',
  ],
  [
    'a refund pays before it settles',
    '        }\n        _settleByRefunding(id);\n        _pay(initiator, amount);\n    }\n\n    /// @inheritdoc IHtlc\n    function instantRefund(',
    '        }\n        _pay(initiator, amount);\n        _settleByRefunding(id);\n    }\n\n    /// @inheritdoc IHtlc\n    function instantRefund(',
  ],
  [
    'an instant refund pays the redeemer',
    '_settleByRefunding(id);\n        _pay(initiator, amount);\n    }\n\n    /// @inheritdoc IHtlc\n    function revoke(',
    '_settleByRefunding(id);\n        _pay(redeemer, amount);\n    }\n\n    /// @inheritdoc IHtlc\n    function revoke(',
  ],
  [
    'an instant refund pays before it settles',
    '_settleByRefunding(id);\n        _pay(initiator, amount);\n    }\n\n    /// @inheritdoc IHtlc\n    function revoke(',
    '_pay(initiator, amount);\n        _settleByRefunding(id);\n    }\n\n    /// @inheritdoc IHtlc\n    function revoke(',
  ],
  ['an instant refund does not check that the order is open', '_requireOpen(id);\n        if (msg.sender', 'if (msg.sender'],
  ['an instant refund needs no consent', 'if (msg.sender != redeemer)', 'if (msg.sender == address(0))'],
  ['an instant refund can be made by the initiator alone', 'if (msg.sender != redeemer)', 'if (msg.sender != initiator)'],
  ['an instant refund asks the initiator to sign', '_requireSignature(redeemer,', '_requireSignature(initiator,'],
  ['a consent is not bound to an order', 'mstore(0x20, id)', 'mstore(0x20, 0)'],
  ['an initiation is signed without its amount', 'mstore(add(pointer, 0x60), amount)', 'mstore(add(pointer, 0x60), 0)'],
  ['an order id without the chain', 'mstore(pointer, chainId)', 'mstore(pointer, 0)'],
  ['an order id without the contract', 'mstore(add(pointer, 0x20), address())', 'mstore(add(pointer, 0x20), 0)'],
  ['an order id without the secret hash', 'mstore(add(pointer, 0xc0), secretHash)', 'mstore(add(pointer, 0xc0), 0)'],
  ['an order without a redeemer', 'if (redeemer == address(0)) revert HTLC__ZeroAddressRedeemer();', ''],
  ['an order between equal parties', 'if (initiator == redeemer) revert HTLC__SameInitiatorAndRedeemer();', ''],
  ['an order that pays the contract itself', 'if (redeemer == address(this)) revert HTLC__RedeemerIsHtlc();', ''],
  [
    'an open order can be revoked',
    'if (_state(id) != 0) revert HTLC__DuplicateOrder();\n        _setState(id, REFUNDED);',
    '_setState(id, REFUNDED);',
  ],
  [
    'a settled order can be revoked',
    'if (_state(id) != 0) revert HTLC__DuplicateOrder();\n        _setState(id, REFUNDED);',
    'if (_state(id) > REFUNDED) revert HTLC__DuplicateOrder();\n        _setState(id, REFUNDED);',
  ],
  ['a revoked order leaves no mark', '_setState(id, REFUNDED);\n        emit Revoked(id);', 'emit Revoked(id);'],
  ['revoking emits no event', 'emit Revoked(id);', ''],
  [
    'anyone can revoke',
    'bytes32 id = orderId(msg.sender, redeemer,',
    'bytes32 id = orderId(tx.origin == msg.sender ? redeemer : msg.sender, redeemer,',
  ],
  ['a timelock without bounds', 'if (timelock - 1 >= MAX_TIMELOCK) revert HTLC__InvalidTimelock();', ''],
  ['a timelock one second above the bound', 'timelock - 1 >= MAX_TIMELOCK', 'timelock - 1 > MAX_TIMELOCK'],
  ['a timelock may be zero', 'timelock - 1 >= MAX_TIMELOCK', 'timelock > MAX_TIMELOCK'],
  ['an order of amount zero', 'if (amount == 0) revert HTLC__ZeroAmount();', ''],
  [
    'an order may be initiated again',
    'if (_state(id) != 0) revert HTLC__DuplicateOrder();\n        _setState(id, block',
    '_setState(id, block',
  ],
  [
    'an order may be initiated again once settled',
    'if (_state(id) != 0) revert HTLC__DuplicateOrder();\n        _setState(id, block',
    'if (_state(id) > REFUNDED) revert HTLC__DuplicateOrder();\n        _setState(id, block',
  ],
  ['an order does not store its time', '_setState(id, block.timestamp);', '_setState(id, 3);'],
  ['an initiation emits the topic of a refund', 'bytes32 topic = Initiated.selector;', 'bytes32 topic = Refunded.selector;'],
  ['an initiation emits wrong data', 'log2(add(pointer, 0x40), 0xa0,', 'log2(add(pointer, 0x20), 0xa0,'],
  ['an initiation emits no event', 'log2(add(pointer, 0x40), 0xa0, topic, id)', 'pop(topic)'],
  ['a redeem emits the id as the secret', 'emit Redeemed(id, secret);', 'emit Redeemed(secret, id);'],
  ['a redeem emits no event', 'emit Redeemed(id, secret);', ''],
  ['a refund emits no event', 'emit Refunded(id);', ''],
  ['a refunded order counts as open', 'if (openedAt <= REFUNDED) {', 'if (openedAt < REFUNDED) {'],
]

/** The HTLCs for tokens share these initiations. */
const token: readonly Break[] = [
  ['a signature is not checked', '_requireSignature(initiator, _typedDataDigest(structHash), signature);', ''],
  ['the relayer pays instead of the signer', '_collectSigned(initiator, amount);', '_collectSigned(msg.sender, amount);'],
  [
    'who pays on behalf takes the initiator’s money',
    'HTLC__ZeroAddressInitiator();\n        _open(initiator, redeemer, timelock, amount, secretHash);\n        _collect(msg.sender, amount);',
    'HTLC__ZeroAddressInitiator();\n        _open(initiator, redeemer, timelock, amount, secretHash);\n        _collect(initiator, amount);',
  ],
  ['an order that refunds to nobody', 'if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();', ''],
  [
    'an order is open whatever arrived',
    'if (Transfers.pull(_token, from, amount) < amount) revert HTLC__AmountNotReceived();',
    'Transfers.pull(_token, from, amount);',
  ],
]

const oneSignature: readonly Break[] = [
  [
    'an authorization opens no order',
    '_open(initiator, redeemer, timelock, amount, secretHash);\n        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);\n        _collectBy(_token,',
    'bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);\n        _collectBy(_token,',
  ],
  [
    'an authorization is not bound to an order',
    '(initiator, amount, id, authorization.deadline',
    '(initiator, amount, 0, authorization.deadline',
  ],
  ['an authorization takes the money of the relayer', '_authorizedTransfer(initiator, amount,', '_authorizedTransfer(msg.sender, amount,'],
  ['an authorization takes less than the amount', '_authorizedTransfer(initiator, amount,', '_authorizedTransfer(initiator, amount - 1,'],
  [
    'an order is open whatever an authorization or Permit2 moved',
    'if (Transfers.pullBy(_token, target, data) < amount) revert HTLC__AmountNotReceived();',
    'Transfers.pullBy(_token, target, data);\n        amount;',
  ],
  [
    'the key of an authorization is taken for an account',
    '_LENGTH) {\n            return abi.encodeWithSignature(\n                "receive',
    '_LENGTH + 1) {\n            return abi.encodeWithSignature(\n                "receive',
  ],
  [
    'an account cannot authorize',
    'if (signature.length != KEY_SIGNATURE_LENGTH) {\n            return abi.encodeWithSignature(\n                "receive',
    'if (signature.length == 0) {\n            return abi.encodeWithSignature(\n                "receive',
  ],
  ['a permit needs no signature over the terms', '_requireSignature(initiator, _typedDataDigest(termsHash), signed.terms);', ''],
  ['the relayer pays after a permit', '_collect(initiator, amount);', '_collect(msg.sender, amount);'],
  ['terms are signed without their amount', 'redeemer, timelock, amount, secretHash));', 'redeemer, timelock, uint256(0), secretHash));'],
  ['a permit is not passed on', 'Transfers.attempt(_token, _tokenPermit(initiator, amount, signed.deadline, signed.permit));', ''],
  ['a permit of the relayer is passed on', '_tokenPermit(initiator, amount,', '_tokenPermit(msg.sender, amount,'],
  ['a permit is passed on without its deadline', 'signed.deadline, signed.permit', 'type(uint256).max, signed.permit'],
  [
    'the key of a permit is taken for an account',
    '_LENGTH) {\n            return abi.encodeWithSignature(\n                "permit',
    '_LENGTH + 1) {\n            return abi.encodeWithSignature(\n                "permit',
  ],
  [
    'an account cannot permit',
    'if (signature.length != KEY_SIGNATURE_LENGTH) {\n            return abi.encodeWithSignature(\n                "permit',
    'if (signature.length == 0) {\n            return abi.encodeWithSignature(\n                "permit',
  ],
  [
    'Permit2 opens no order',
    '_open(initiator, redeemer, timelock, amount, secretHash);\n        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);\n        bytes32 witness',
    'bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);\n        bytes32 witness',
  ],
  ['Permit2 is given no terms', '_witnessTransfer(initiator, amount, id, witness,', '_witnessTransfer(initiator, amount, id, 0,'],
  ['Permit2 is given no nonce of the order', '_witnessTransfer(initiator, amount, id,', '_witnessTransfer(initiator, amount, 0,'],
  ['Permit2 takes the money of the relayer', '_witnessTransfer(initiator,', '_witnessTransfer(msg.sender,'],
  ['Permit2 is called at another address', '0x000000000022D473030F116dDEE9F6B43aC78BA3', '0x00000000000000000000000000000000000000A3'],
]

/** The token and the native coin share these. */
const deposits: readonly Break[] = [
  [
    'an initiation within the transaction of somebody else',
    '_requireWholeTransaction(deposit.initiator);\n        if (deposit.chainId',
    'if (deposit.chainId',
  ],
  [
    'a return within the transaction of somebody else',
    '_requireWholeTransaction(deposit.initiator);\n        if (!_isReturnable',
    'if (!_isReturnable',
  ],
  ['a deposit opens an order on another chain', 'if (deposit.chainId != _deployedChainId) revert HTLC__OtherChain();', ''],
  ['a deposit opens an order after its deadline', 'if (block.timestamp > deposit.deadline) revert HTLC__TooLate();', ''],
  [
    'a deposit opens no order in the second of its deadline',
    'if (block.timestamp > deposit.deadline) revert',
    'if (block.timestamp >= deposit.deadline) revert',
  ],
  ['a deposit opens an order of nobody', 'if (deposit.initiator == address(0)) revert HTLC__ZeroAddressInitiator();', ''],
  [
    'a deposit is taken, and opens no order',
    '_open(deposit.initiator, deposit.redeemer, deposit.timelock, deposit.amount, deposit.secretHash);\n        _take',
    '_take',
  ],
  ['a deposit opens an order with another initiator', '_open(deposit.initiator, deposit.redeemer,', '_open(msg.sender, deposit.redeemer,'],
  ['an order is open, and its deposit is not taken', 'deposit.secretHash);\n        _takeDeposit(deposit);', 'deposit.secretHash);'],
  ['anyone takes a deposit back before the deadline', 'if (!_isReturnable(deposit, token_)) revert HTLC__NotReturnable();', ''],
  ['nothing is returned, with success', 'if (held == 0) revert HTLC__NothingToReturn();', ''],
  ['the initiator waits for the deadline', 'return msg.sender == deposit.initiator || block', 'return block'],
  [
    'the redeemer takes a deposit back',
    'return msg.sender == deposit.initiator ||',
    'return msg.sender == deposit.redeemer || msg.sender == deposit.initiator ||',
  ],
  [
    'a deposit never returns by a stranger after the deadline',
    'block.timestamp > deposit.deadline\n            ||',
    'false\n            ||',
  ],
  [
    'a deposit returns in the second of its deadline',
    'block.timestamp > deposit.deadline\n            ||',
    'block.timestamp >= deposit.deadline\n            ||',
  ],
  ['what came for another chain waits for the deadline', '|| deposit.chainId != _deployedChainId || _isForeign', '|| _isForeign'],
  ['what came after the initiation waits for the deadline', ' || _state(_idOf(deposit)) != 0;', ';'],
  [
    'a deposit address without the deadline',
    'keccak256(abi.encode(deposit));',
    'keccak256(abi.encode(deposit.chainId, deposit.initiator, deposit.redeemer, deposit.timelock, deposit.amount, deposit.secretHash));',
  ],
  [
    'a deposit address without the chain',
    'keccak256(abi.encode(deposit));',
    'keccak256(abi.encode(deposit.deadline, deposit.initiator, deposit.redeemer, deposit.timelock, deposit.amount, deposit.secretHash));',
  ],
  [
    'a deposit address without the initiator',
    'keccak256(abi.encode(deposit));',
    'keccak256(abi.encode(deposit.chainId, deposit.deadline, deposit.redeemer, deposit.timelock, deposit.amount, deposit.secretHash));',
  ],
  [
    'a deposit address without the redeemer',
    'keccak256(abi.encode(deposit));',
    'keccak256(abi.encode(deposit.chainId, deposit.initiator, deposit.deadline, deposit.timelock, deposit.amount, deposit.secretHash));',
  ],
  [
    'a deposit address without the timelock',
    'keccak256(abi.encode(deposit));',
    'keccak256(abi.encode(deposit.chainId, deposit.initiator, deposit.redeemer, deposit.deadline, deposit.amount, deposit.secretHash));',
  ],
  [
    'a deposit address without the amount',
    'keccak256(abi.encode(deposit));',
    'keccak256(abi.encode(deposit.chainId, deposit.initiator, deposit.redeemer, deposit.timelock, deposit.deadline, deposit.secretHash));',
  ],
  [
    'a deposit address without the secret hash',
    'keccak256(abi.encode(deposit));',
    'keccak256(abi.encode(deposit.chainId, deposit.initiator, deposit.redeemer, deposit.timelock, deposit.amount, deposit.deadline));',
  ],
  [
    'the address that is told is not the one that acts',
    'new DepositAccount{salt: _saltOf(deposit)}();',
    'new DepositAccount{salt: keccak256(abi.encode(_saltOf(deposit)))}();',
  ],
  ['the task of an initiation is a return', 'else _giveTask(who | IS_INITIATION, amount);', 'else _giveTask(who, uint160(token_));'],
  [
    'a return goes to the caller',
    'uint256 who = uint160(deposit.initiator);',
    'uint256 who = uint160(amount == 0 ? msg.sender : deposit.initiator);',
  ],
  [
    'native coin leaves an address without an event',
    'if (coin != 0) emit DepositReturned(account, deposit.initiator, address(0), coin);',
    '',
  ],
  [
    'native coin leaves another account, by the event',
    'if (coin != 0) emit DepositReturned(account, deposit.initiator, address(0), coin);',
    'if (coin != 0) emit DepositReturned(address(this), deposit.initiator, address(0), coin);',
  ],
  [
    'native coin leaves an address for another owner, by the event',
    'if (coin != 0) emit DepositReturned(account, deposit.initiator, address(0), coin);',
    'if (coin != 0) emit DepositReturned(account, deposit.redeemer, address(0), coin);',
  ],
  ['all addresses hold as much as the first', '_balanceOf(_asset(), accounts[i]);', '_balanceOf(_asset(), accounts[0]);'],
]

const briefAccounts: readonly Break[] = [
  [
    'a contract that is being created is taken for a key',
    '(msg.sender != tx.origin || msg.sender.code.length != 0)',
    'msg.sender.code.length != 0',
  ],
  ['a key with code is taken for one without', '(msg.sender != tx.origin || msg.sender.code.length != 0)', 'msg.sender != tx.origin'],
  ['the owner cannot be a contract', 'msg.sender != owner && (', '(owner == address(0) || owner != address(0)) && ('],
  ['nobody but the owner acts', '(msg.sender != tx.origin || msg.sender.code.length != 0)', 'tx.origin != address(0)'],
]

const tokenDeposits: readonly Break[] = [
  [
    'an order is open whatever its deposit brought',
    'if (!_isMoreBy(amount, _balanceOf(token_, address(this)), here)) revert HTLC__AmountNotReceived();',
    '',
  ],
  [
    'an order is open although its deposit is still there',
    'if (!_isMoreBy(amount, there, _balanceOf(token_, account))) revert HTLC__AmountNotReceived();',
    '',
  ],
  ['a token that moved nothing has been returned', 'if (left >= held) revert Transfers.HTLC__TransferFailed();', ''],
  ['a return emits no event', 'emit DepositReturned(account, deposit.initiator, token_, held - left);', ''],
  [
    'a return is told of another account',
    'emit DepositReturned(account, deposit.initiator, token_, held - left);',
    'emit DepositReturned(deposit.initiator, deposit.initiator, token_, held - left);',
  ],
  [
    'a return is told of another owner',
    'emit DepositReturned(account, deposit.initiator, token_, held - left);',
    'emit DepositReturned(account, deposit.redeemer, token_, held - left);',
  ],
  ['another token waits for the deadline', '|| _isForeign(token_) || _state', '|| _state'],
]

const tokenAccount: readonly Break[] = [
  ['what an order does not take goes to nobody', 'Transfers.pushUnmeasured(token, owner, Transfers.balanceOf(token, address(this)));', ''],
  ['a returned token goes to the contract', 'pushUnmeasured(token, owner,', 'pushUnmeasured(token, msg.sender,'],
  ['the token of an order goes to its initiator', 'pushUnmeasured(token, msg.sender, amount)', 'pushUnmeasured(token, owner, amount)'],
  [
    'all of a deposit is taken',
    'Transfers.pushUnmeasured(token, msg.sender, amount);',
    'Transfers.pushUnmeasured(token, msg.sender, Transfers.balanceOf(token, address(this)));',
  ],
  ['native coin beside a token goes to the contract', 'selfdestruct(payable(owner));', 'selfdestruct(payable(msg.sender));'],
  ['an account acts once and for all', 'selfdestruct(payable(owner));', 'payable(owner).transfer(address(this).balance);'],
]

const nativeAccount: readonly Break[] = [
  [
    'the coin of an order goes to its initiator',
    'if (token == address(0)) Transfers.pushNative(msg.sender, amount);',
    'if (token == address(0)) Transfers.pushNative(owner, amount);',
  ],
  ['returned coin goes to the contract', 'selfdestruct(payable(owner));', 'selfdestruct(payable(msg.sender));'],
  ['an account of coin acts once and for all', 'selfdestruct(payable(owner));', 'payable(owner).transfer(address(this).balance);'],
]

const nativeDeposits: readonly Break[] = [
  ['a plain transfer is taken', 'if (!_isTakingDeposit) revert HTLC__WrongValue();', ''],
  ['a stranger returns a deposit of coin with another token', 'return false;', 'return true;'],
]

const erc20Deposits: readonly Break[] = [
  ['an authorization that the token does not know', 'if (Transfers.ask(_token, question) == 0) revert HTLC__AmountNotReceived();', ''],
  ['a stranger returns a deposit before the deadline', 'return token_ != _token;', 'return token_ == _token;'],
]

const tronDeposits: readonly Break[] = [
  [
    'any rule of addresses is taken for one that is known',
    'if (!isTron && created != _create2AddressWith(0xff, 0, codeHash)) revert HTLC__UnknownAddressRule();',
    '',
  ],
  ['the rule of EIP-1014 is unknown', 'if (!isTron && created !=', 'if (!isTron || created !='],
  [
    'no rule of addresses is known',
    'if (!isTron && created != _create2AddressWith(0xff, 0, codeHash)) revert',
    'if (created != address(0)) revert',
  ],
  ['an address that was not created has a known rule', 'if (!isTron && created !=', 'if (!isTron && created != address(0) && created !='],
  ['an EVM is taken for the machine of Tron', 'isTron ? bytes1(0x41) : bytes1(0xff)', 'isTron ? bytes1(0xff) : bytes1(0x41)'],
  ['a task is given for another owner', '(_who, _what) = (who, what);', '(_who, _what) = (who + 1, what);'],
]

/** These make money arrive by a call of the token or of Permit2. */
const callsForMoney: readonly Break[] = [
  [
    'a call for money that failed counts as made',
    'success := and(success, call(gas(), target, 0, add(data, 0x20), mload(data), 0x00, 0x00))',
    'pop(call(gas(), target, 0, add(data, 0x20), mload(data), 0x00, 0x00))',
  ],
  [
    'the balance after a call for money is not measured',
    'let heldAfter := mload(pointer)',
    'let heldAfter := add(heldBefore, shl(128, 1))',
  ],
  [
    'a balance that shrank by a call for money counts as grown',
    'mul(gt(heldAfter, heldBefore), sub(heldAfter, heldBefore))',
    'sub(heldAfter, heldBefore)',
  ],
  [
    'a permit that fails stops the initiation',
    'pop(call(gas(), target, 0, add(data, 0x20), mload(data), 0x00, 0x00))',
    'if iszero(call(gas(), target, 0, add(data, 0x20), mload(data), 0x00, 0x00)) { revert(0, 0) }',
  ],
]

const coreAllowance: readonly Break[] = [
  ['the relayer pays by its allowance', 'else _collect(initiator, amount);', 'else _collect(msg.sender, amount);'],
]

const native: readonly Break[] = [
  [
    'an order is open whatever was sent',
    'if (msg.value != amount) revert HTLC__WrongValue();\n        _open(msg.sender',
    '_open(msg.sender',
  ],
  ['an order on behalf takes less', 'if (msg.value != amount) revert HTLC__WrongValue();\n        if (initiator', 'if (initiator'],
  ['an order on behalf refunds to nobody', 'if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();', ''],
]

const gasWithPayout: readonly Break[] = [
  ['a redeem with gas is one of nothing', '        redeeming(initiator, redeemer, timelock, amount, secret)\n', ''],
  ['gas goes to the initiator', 'offerNative(redeemer, msg.value,', 'offerNative(initiator, msg.value,'],
  ['gas goes to the caller', 'offerNative(redeemer, msg.value,', 'offerNative(msg.sender, msg.value,'],
  ['gas is all the coin of the contract', 'offerNative(redeemer, msg.value,', 'offerNative(redeemer, address(this).balance,'],
  ['half of the gas stays', 'offerNative(redeemer, msg.value,', 'offerNative(redeemer, msg.value / 2,'],
  ['a redeemer has less to take coin with', 'MAX_GAS_TO_TAKE_COIN = 10_000', 'MAX_GAS_TO_TAKE_COIN = 9_900'],
  ['a redeemer has more to take coin with', 'MAX_GAS_TO_TAKE_COIN = 10_000', 'MAX_GAS_TO_TAKE_COIN = 10_100'],
  ['gas that is refused stays', 'Transfers.pushNative(msg.sender, msg.value);', ''],
  ['gas that is refused goes to the initiator', 'pushNative(msg.sender, msg.value)', 'pushNative(initiator, msg.value)'],
  ['all coin of the contract goes back', 'pushNative(msg.sender, msg.value)', 'pushNative(msg.sender, address(this).balance)'],
  ['a payout fails if gas is refused', 'Transfers.pushNative(msg.sender, msg.value);', 'revert Transfers.HTLC__TransferFailed();'],
  ['gas that was taken goes back too', 'if (!Transfers.offerNative', 'if (Transfers.offerNative'],
  [
    'gas goes back whatever happened',
    'if (!Transfers.offerNative(redeemer, msg.value, MAX_GAS_TO_TAKE_COIN)) {\n            Transfers.pushNative(msg.sender, msg.value);',
    'Transfers.offerNative(redeemer, msg.value, MAX_GAS_TO_TAKE_COIN);\n        {\n            Transfers.pushNative(msg.sender, msg.value);',
  ],
]

/** The code of the redeemer runs in the offer of coin. */
const offers: readonly Break[] = [
  ['a redeemer may burn all gas', 'call(gasLimit, to, amount, 0, 0, 0, 0)', 'call(gas(), to, amount, 0, 0, 0, 0)'],
  ['a redeemer gets no gas to take coin with', 'call(gasLimit, to, amount, 0, 0, 0, 0)', 'call(0, to, amount, 0, 0, 0, 0)'],
  ['the answer of a redeemer is copied', 'call(gasLimit, to, amount, 0, 0, 0, 0)', 'call(gasLimit, to, amount, 0, 0, 0, 0xe000)'],
  [
    'refused coin counts as taken',
    'taken := call(gasLimit, to, amount, 0, 0, 0, 0)',
    'taken := or(1, call(gasLimit, to, amount, 0, 0, 0, 0))',
  ],
]

const signatures: readonly Break[] = [
  ['a malleable signature is valid', 'if iszero(gt(s, halfCurveOrder))', 'if gt(halfCurveOrder, 0)'],
  [
    'a failed recovery stands for the zero address',
    'and(iszero(shl(96, xor(mload(0x00), signer))), gt(signer, 0))',
    'eq(mload(0x00), signer)',
  ],
  ['a signature by any key is valid', 'and(iszero(shl(96, xor(mload(0x00), signer))), gt(signer, 0))', 'gt(mload(0x00), 0)'],
  ['recovery ids are refused', 'if lt(v, 2) { v := add(v, 27) }', ''],
  ['the parity bit is taken for a part of s', 's := shr(1, shl(1, s))', ''],
  ['any answer of a contract account approves', 'eq(mload(0), ERC1271_MAGIC)', '1'],
  ['a short answer of a contract account approves', 'gt(returndatasize(), 31)', '1'],
  ['a contract account is not asked', 'if (!_isApprovedByContract(signer, digest, signature)) revert', 'revert'],
  [
    'signatures outlive a chain split',
    '? _deployedDomainSeparator : _buildDomainSeparator()',
    '? _deployedDomainSeparator : _deployedDomainSeparator',
  ],
  ['the domain does not name the contract', 'block.chainid,\n                address(this)', 'block.chainid,\n                address(0)'],
  ['the domain does not name the chain', 'block.chainid,\n                address(this)', 'uint256(0),\n                address(this)'],
  ['eip712Domain returns another domain', 'VERSION, block.chainid, address(this)', 'VERSION, 1, address(this)'],
]

const tokenTransfers: readonly Break[] = [
  [
    'a payment that was refused counts as made',
    'default { success := and(success, and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1))) }',
    'default {}',
  ],
  ['a payment by a token without code counts as made', 'case 0 { success := and(success, gt(extcodesize(token), 0)) }', 'case 0 {}'],
  ['a token that returns nothing cannot pay', 'case 0 { success := and(success, gt(extcodesize(token), 0)) }', 'case 0 { success := 0 }'],
  [
    'a collection that was refused counts as made',
    'success := and(success, and(gt(returndatasize(), 0x1f), eq(mload(pointer), 1)))',
    'pop(success)',
  ],
  [
    'a balance that shrank counts as grown',
    'mul(gt(balanceAfter, balanceBefore), sub(balanceAfter, balanceBefore))',
    'sub(balanceAfter, balanceBefore)',
  ],
  [
    'the balance after is not measured',
    'let balanceAfter := mload(pointer)\n            received',
    'let balanceAfter := add(balanceBefore, amount)\n            received',
  ],
]

const nativeTransfers: readonly Break[] = [
  [
    'a payment of coin that was refused counts as made',
    'success := call(gas(), to, amount, 0, 0, 0, 0)',
    'success := or(call(gas(), to, amount, 0, 0, 0, 0), 1)',
  ],
  [
    'a recipient gets no gas to do anything with',
    'success := call(gas(), to, amount, 0, 0, 0, 0)',
    'success := call(0, to, amount, 0, 0, 0, 0)',
  ],
]

const tron: readonly Break[] = [
  [
    'an order is open whatever arrived on Tron',
    'if (Transfers.pullUnanswered(_token, from, amount) < amount) revert HTLC__AmountNotReceived();',
    'Transfers.pullUnanswered(_token, from, amount);',
  ],
  [
    'a collection on Tron believes the answer',
    'Transfers.pullUnanswered(_token, from, amount) <',
    'Transfers.pull(_token, from, amount) <',
  ],
  ['a payout on Tron believes the answer', 'Transfers.pushUnanswered(_token, to, amount);', 'Transfers.push(_token, to, amount);'],
  ['a trial makes the payout', 'revert HTLC__PayoutWouldSucceed();', ''],
  ['a trial pays nothing', '_pay(to, amount);\n        revert', 'revert'],
]

const tronTransfers: readonly Break[] = [
  [
    'a payout that reverted counts as made',
    'success := and(success, call(gas(), token, 0, pointer, 0x44, 0x00, 0x00))',
    'pop(call(gas(), token, 0, pointer, 0x44, 0x00, 0x00))\n            amount := 0',
  ],
  ['a payout of another amount counts as made', 'success := and(success, eq(sub(balanceBefore, balanceAfter), amount))', ''],
]

/** The files that the distributor shares with the HTLCs are broken there. */
const distributor: readonly Break[] = [
  ['a distributor without a signer', 'if (signer_ == address(0)) revert Distributor__ZeroAddressSigner();', ''],
  ['a claim pays nobody', 'if (recipient == address(0)) revert Distributor__ZeroAddressRecipient();', ''],
  ['a claim needs no signature', '_requireSignature(_signer, _typedDataDigest(structHash), signature);', ''],
  ['a claim is signed by its recipient', '_requireSignature(_signer,', '_requireSignature(recipient,'],
  ['a claim is signed without its recipient', 'CLAIM_TYPEHASH, recipient, token', 'CLAIM_TYPEHASH, address(0), token'],
  ['a claim is signed without its token', 'recipient, token, total))', 'recipient, address(0), total))'],
  ['a claim is signed without its total', 'recipient, token, total))', 'recipient, token, uint256(0)))'],
  ['payments are counted per recipient only', 'paid[recipient][token] = total;', 'paid[recipient][address(0)] = total;'],
  ['a payment is not recorded', 'paid[recipient][token] = total;', ''],
  ['a payment is added to its total', 'paid[recipient][token] = total;', 'paid[recipient][token] += total;'],
  ['a total is paid whatever was paid before', 'amount = total - before;', 'amount = total;'],
  ['a total that was paid counts as due', 'if (total <= before) revert', 'if (total < before) revert'],
  ['a lower total counts as due', 'if (total <= before) revert', 'if (total == before) revert'],
  [
    'a claim pays before it records',
    'paid[recipient][token] = total;\n        emit Claimed(recipient, token, amount, total);\n\n        if (token == address(0)) Transfers.pushNative(recipient, amount);\n        else Transfers.push(token, recipient, amount);',
    'if (token == address(0)) Transfers.pushNative(recipient, amount);\n        else Transfers.push(token, recipient, amount);\n        paid[recipient][token] = total;\n        emit Claimed(recipient, token, amount, total);',
  ],
  ['a claim pays its caller', 'Transfers.push(token, recipient, amount)', 'Transfers.push(token, msg.sender, amount)'],
  ['a claim pays native coin to its caller', 'Transfers.pushNative(recipient, amount)', 'Transfers.pushNative(msg.sender, amount)'],
  ['a claim emits no event', 'emit Claimed(recipient, token, amount, total);', ''],
  [
    'an event with the total as the amount',
    'emit Claimed(recipient, token, amount, total);',
    'emit Claimed(recipient, token, total, total);',
  ],
]

export const mutants: readonly Mutant[] = [
  ...ofFile('Htlc.sol', 'ERC-20', core),
  ...ofFile('HtlcToken.sol', 'ERC-20', token),
  ...ofFile('HtlcToken.sol', 'HyperCore', token),
  ...ofFile('GasWithPayout.sol', 'ERC-20', gasWithPayout),
  ...ofFile('GasWithPayout.sol', 'TRC-20', gasWithPayout),
  ...ofFile('HtlcErc20.sol', 'ERC-20', oneSignature),
  ...ofFile('hypercore/HtlcCore.sol', 'HyperCore', coreAllowance),
  ...ofFile('HtlcNative.sol', 'native', native),
  ...ofFile('Signatures.sol', 'ERC-20', signatures),
  ...ofFile('Transfers.sol', 'ERC-20', [...tokenTransfers, ...callsForMoney, ...offers]),
  ...ofFile('Transfers.sol', 'native', nativeTransfers),
  ...ofFile('tron/HtlcTrc20.sol', 'TRC-20', tron),
  ...ofFile('Transfers.sol', 'TRC-20', tronTransfers),
  ...ofFile('Deposits.sol', 'ERC-20', [...deposits, ...tokenDeposits]),
  ...ofFile('Deposits.sol', 'native', deposits),
  ...ofFile('Deposits.sol', 'TRC-20', [...deposits, ...tokenDeposits]),
  ...ofFile('BriefAccounts.sol', 'ERC-20', briefAccounts),
  ...ofFile('BriefAccounts.sol', 'native', briefAccounts),
  ...ofFile('BriefAccounts.sol', 'TRC-20', briefAccounts),
  ...ofFile('DepositAccount.sol', 'ERC-20', tokenAccount),
  ...ofFile('DepositAccount.sol', 'native', nativeAccount),
  ...ofFile('DepositAccount.sol', 'TRC-20', tokenAccount),
  ...ofFile('HtlcNative.sol', 'native', nativeDeposits),
  ...ofFile('HtlcErc20.sol', 'ERC-20', erc20Deposits),
  ...ofFile('tron/StoredDeposits.sol', 'TRC-20', tronDeposits),
  ...ofFile('distributor/Distributor.sol', 'distributor', distributor),
]

export function ofFile(file: Mutant['file'], kind: MutantKind, breaks: readonly Break[]): readonly Mutant[] {
  return breaks.map(([name, text, replacement]) => ({ name, file, text, replacement, kind }))
}
