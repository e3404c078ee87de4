// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Htlc} from "../Htlc.sol";
import {IHtlc} from "../IHtlc.sol";
import {Transfers} from "../Transfers.sol";
import {CoreAccount, ICoreAccountTask} from "./CoreAccount.sol";
import {HyperCore} from "./HyperCore.sol";

/// @title Hash time-locked contract on HyperEVM for a token of HyperCore: money comes from spot accounts and goes there.
/// @notice Amounts of orders are in the units of HyperCore, of which one is `evmPerCore` units of the ERC-20: there is
/// no dust that one side can hold and the other cannot.
/// @dev A payout crosses to HyperCore in two steps that fail silently: the ERC-20 goes to the token's system
/// address, which credits this contract there, and an action of this contract forwards it. It is tried only when
/// neither step can fail; otherwise the payee gets the ERC-20 on HyperEVM. What could fail, and what prevents it:
///  - this contract has no account on HyperCore, so it cannot act: `exists(this)`
///  - the payee has none, so sending would cost a fee that this contract cannot pay: `exists(payee)`
///  - the bridge has less on HyperCore than could cross, so that what crosses may be lost: `_isBacked`
///  - the amount does not fit into HyperCore's 64 bits: it is compared
///  - the payee is a contract, which may have no way to act on HyperCore although somebody gave it an account: its code
///  - the ERC-20 is not the token's, or scaled otherwise: HyperCore itself is asked, by the constructor
contract HtlcCore is Htlc, ICoreAccountTask {
    /// @notice An owner consented to an order, for which the account has too little on HyperEVM as yet.
    /// @param orderId See `orderId`.
    /// @param owner Whose account it is.
    /// @param deadline Unix seconds.
    event Consented(bytes32 indexed orderId, address indexed owner, uint256 deadline);

    /// @notice What an account had was sent to its owner.
    /// @param owner Whose account it is.
    /// @param evmAmount In units of the ERC-20.
    /// @param coreToken A token of HyperCore.
    /// @param coreAmount Of that token, in the units of HyperCore.
    event AccountEmptied(address indexed owner, uint256 evmAmount, uint64 coreToken, uint256 coreAmount);

    /// @notice The count of the bridge's funds was lowered.
    /// @param funds On both sides together, in units of the ERC-20.
    event BridgeFundsCounted(uint256 funds);

    /// @notice HyperCore does not link this token to an ERC-20 with at least as many decimals.
    error HTLC__TokenNotLinked();
    /// @notice HyperCore counts in 64 bits.
    error HTLC__AmountTooLarge();
    /// @notice Less than the amount of the order arrived.
    error HTLC__AmountNotReceived();
    /// @notice The deadline has passed.
    error HTLC__TooLate();
    /// @notice The owner of the account did not consent to this order, or only until an earlier time.
    error HTLC__NoConsent();
    /// @notice The owner consented to no such order, this was done already, a deadline has not passed, or nothing is there.
    error HTLC__NotReclaimable();
    /// @notice The account has nothing on HyperCore.
    error HTLC__NothingToCross();
    /// @notice HyperCore counts HYPE in units of 10^10 wei.
    error HTLC__ValueNotWhole();

    /// Hyperliquid allows a difference of 18 decimals at most.
    int8 private constant MAX_EXTRA_DECIMALS = 18;

    /// After the deadline of an order: then anyone may return what was paid too late, too little or twice.
    uint256 private constant RECLAIM_WINDOW = 7 days;

    address private immutable _token;
    uint64 private immutable _coreToken;
    uint256 private immutable _evmPerCore;

    /// The bridge's funds on both sides together when this contract was deployed, in units of the ERC-20; see `recount`.
    /// Order ids are hashes, so no order uses this slot.
    uint256 private _bridgeFunds;

    /// Until when an owner consents to an order, by owner and order id.
    mapping(bytes32 => uint256) private _consents;
    /// The latest deadline to which an owner consented: until then nobody else empties the account.
    mapping(address => uint256) private _busyUntil;

    address private transient _taskOwner;
    uint256 private transient _taskEvmAmount;
    address private transient _taskCoreTo;
    uint64 private transient _taskCoreToken;
    uint64 private transient _taskCoreAmount;

    /// @param coreToken_ The index of the token on HyperCore.
    constructor(uint64 coreToken_) {
        HyperCore.TokenInfo memory info = HyperCore.tokenInfo(coreToken_);
        int8 extra = info.evmExtraWeiDecimals;
        if (info.evmContract.code.length == 0 || extra < 0 || extra > MAX_EXTRA_DECIMALS) {
            revert HTLC__TokenNotLinked();
        }
        _token = info.evmContract;
        _coreToken = coreToken_;
        _evmPerCore = 10 ** uint8(extra);
        _bridgeFunds = HyperCore.bridgeFunds(info.evmContract, coreToken_, 10 ** uint8(extra));
    }

    /// @notice Locks the caller's tokens; needs an allowance for this contract.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    function initiate(address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash) external {
        _openFor(msg.sender, redeemer, timelock, amount, secretHash);
        _collect(msg.sender, amount);
    }

    /// @notice Locks the caller's tokens in an order that refunds to another initiator.
    /// @param initiator Who gets the money back when the order is refunded.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    function initiateOnBehalf(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash
    ) external {
        if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();
        _openFor(initiator, redeemer, timelock, amount, secretHash);
        _collect(msg.sender, amount);
    }

    /// @notice Locks the initiator's tokens, which the initiator permitted by signing
    /// Initiate(address redeemer,uint256 timelock,uint256 amount,bytes32 secretHash). Anyone may relay it.
    /// It takes the money from the initiator's account here if that has enough on HyperEVM, else by an allowance.
    /// @param initiator Who gets the money back when the order is refunded, and whose money is locked.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    /// @param signature The initiator's: 65 bytes, 64 (EIP-2098), or what its contract accepts (ERC-1271).
    function initiateWithSignature(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        bytes calldata signature
    ) external {
        _requireSignature(
            initiator,
            _typedDataDigest(_initiateHash(redeemer, timelock, amount, secretHash)),
            signature
        );
        _openFor(initiator, redeemer, timelock, amount, secretHash);
        if (_isHeldBy(initiator, amount)) _takeFrom(initiator, amount);
        else _collect(initiator, amount);
    }

    /// @notice Locks money of the caller's account in an order, at once if it is on HyperEVM. If it is not, records the
    /// caller's consent to this order until the deadline, and brings all that the account has to HyperEVM: then anyone
    /// may call `initiateConsented`.
    /// @dev The value pays for crossing; what is not needed for it goes back to the caller.
    /// @param initiator Who gets the money back when the order is refunded.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    /// @param deadline Unix seconds: until then the consent holds.
    function initiateFromAccount(
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash,
        uint256 deadline
    ) external payable {
        if (initiator == address(0)) revert HTLC__ZeroAddressInitiator();
        if (block.timestamp > deadline) revert HTLC__TooLate();
        if (amount > type(uint64).max) revert HTLC__AmountTooLarge();
        if (_isHeldBy(msg.sender, amount)) {
            _openFor(initiator, redeemer, timelock, amount, secretHash);
            _takeFrom(msg.sender, amount);
        } else {
            bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
            if (_state(id) != 0) revert HTLC__DuplicateOrder();
            _consents[_consentKey(msg.sender, id)] = deadline;
            if (deadline > _busyUntil[msg.sender]) _busyUntil[msg.sender] = deadline;
            emit Consented(id, msg.sender, deadline);
            if (_cross(msg.sender)) return;
        }
        if (msg.value != 0) Transfers.pushNative(msg.sender, msg.value);
    }

    /// @notice Locks money of an account in an order to which its owner consented. Anyone may call.
    /// @param owner Whose account it is.
    /// @param initiator Who gets the money back when the order is refunded.
    /// @param redeemer Who is paid with the secret.
    /// @param timelock Seconds from now until a refund is possible.
    /// @param amount In the units of HyperCore.
    /// @param secretHash SHA-256 of the 32-byte secret.
    function initiateConsented(
        address owner,
        address initiator,
        address redeemer,
        uint256 timelock,
        uint256 amount,
        bytes32 secretHash
    ) external {
        bytes32 id = orderId(initiator, redeemer, timelock, amount, secretHash);
        if (block.timestamp > _consents[_consentKey(owner, id)]) revert HTLC__NoConsent();
        _openFor(initiator, redeemer, timelock, amount, secretHash);
        _takeFrom(owner, amount);
    }

    /// @notice Brings all that an account has on HyperCore to HyperEVM, where it arrives with the next block. Anyone may
    /// call: the money stays the owner's. The value goes to the account on HyperCore, which pays the transfer in HYPE.
    /// @dev Always all of it: an action fails silently if the account has less than it says, so a part that somebody
    /// else brings over in the same block must not make this one fail.
    /// @param owner Whose account it is.
    function cross(address owner) external payable {
        if (!_cross(owner)) revert HTLC__NothingToCross();
    }

    /// @notice Pays all that the caller has in its account to the caller: the ERC-20, and one token on HyperCore, if the
    /// caller has an account there.
    /// @dev Does not end a consent or a signature: `revoke` does.
    /// @param coreToken_ Its index on HyperCore: of this contract's token, or of one that was sent there by mistake.
    function withdraw(uint64 coreToken_) external {
        _emptyAccount(msg.sender, coreToken_);
    }

    /// @notice Pays all that an account has to its owner. Anyone may call, once for an order to which the owner
    /// consented, when all deadlines to which the owner consented have passed, and within a week after that of the order.
    /// @dev So nobody can take the money away again and again from an order that is signed for.
    /// @param owner Whose account it is, and who is paid.
    /// @param id Of the order.
    function reclaim(address owner, bytes32 id) external {
        bytes32 key = _consentKey(owner, id);
        if (!_isReclaimable(_consents[key], owner)) revert HTLC__NotReclaimable();
        delete _consents[key];
        // A call that comes too early, or is mined again after a reorg, must not use up the consent.
        if (!_emptyAccount(owner, _coreToken)) revert HTLC__NotReclaimable();
    }

    /// @notice The account of an owner at this contract, on HyperCore and on HyperEVM. Money there can be locked in
    /// orders to which the owner consents by a call or by a signature, or go back to the owner, and nothing else.
    /// @param owner Any address.
    function accountOf(address owner) public view returns (address) {
        bytes32 code = keccak256(type(CoreAccount).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), _saltOf(owner), code)))));
    }

    /// @notice What accounts have on both sides together, for orders to which their owners consented: for those that can
    /// be initiated with it, and for those for which `reclaim` returns it. Of many at once: whoever initiates watches many.
    /// @param owners Whose accounts they are.
    /// @param ids Of the orders, in the same order.
    /// @return amounts In the units of HyperCore; zero for the other orders.
    function heldFor(address[] calldata owners, bytes32[] calldata ids)
        external
        view
        returns (uint256[] memory amounts)
    {
        amounts = new uint256[](owners.length);
        for (uint256 i = 0; i < owners.length; ++i) {
            uint256 consent = _consents[_consentKey(owners[i], ids[i])];
            bool initiable = block.timestamp <= consent && _state(ids[i]) == 0;
            if (!initiable && !_isReclaimable(consent, owners[i])) continue;
            address account = accountOf(owners[i]);
            amounts[i] =
                IBalance(_token).balanceOf(account) / _evmPerCore + HyperCore.spotBalance(account, _coreToken);
        }
    }

    /// @inheritdoc ICoreAccountTask
    function accountTask() external view override returns (Task memory) {
        return Task(_taskOwner, _token, _taskEvmAmount, _taskCoreTo, _taskCoreToken, _taskCoreAmount);
    }

    /// @notice Whether a payout in this block would reach the spot account of the payee; otherwise the payee gets the
    /// ERC-20 on HyperEVM.
    /// @param payee Who would be paid.
    /// @param amount In the units of HyperCore.
    function reachesCore(address payee, uint256 amount) public view returns (bool) {
        return amount <= type(uint64).max && payee.code.length == 0 && HyperCore.exists(payee)
            && HyperCore.exists(address(this)) && _isBacked();
    }

    /// @notice Corrects the count of the bridge's funds, downwards only: it is too high if this contract was deployed
    /// in a block in which something had crossed already. Anyone may call.
    function recount() external {
        uint256 current = HyperCore.bridgeFunds(_token, _coreToken, _evmPerCore);
        if (current >= _bridgeFunds) return;
        _bridgeFunds = current;
        emit BridgeFundsCounted(current);
    }

    /// @notice The bridge's funds on both sides together, in units of the ERC-20.
    /// @return believed Counted when this contract was deployed, or recounted. If it is more than `current`, payouts are
    /// not safe.
    /// @return current As HyperCore shows it in this block.
    function bridgeFunds() external view returns (uint256 believed, uint256 current) {
        return (_bridgeFunds, HyperCore.bridgeFunds(_token, _coreToken, _evmPerCore));
    }

    /// @inheritdoc IHtlc
    function token() external view override returns (address) {
        return _token;
    }

    /// @notice The index of the token on HyperCore.
    function coreToken() external view returns (uint64) {
        return _coreToken;
    }

    /// @notice How many units of the ERC-20 one unit on HyperCore is.
    function evmPerCore() external view returns (uint256) {
        return _evmPerCore;
    }

    function _openFor(address initiator, address redeemer, uint256 timelock, uint256 amount, bytes32 secretHash)
        private
    {
        if (amount > type(uint64).max) revert HTLC__AmountTooLarge();
        _open(initiator, redeemer, timelock, amount, secretHash);
    }

    function _collect(address from, uint256 amount) private {
        uint256 needed = amount * _evmPerCore;
        if (Transfers.pull(_token, from, needed) < needed) revert HTLC__AmountNotReceived();
    }

    function _isHeldBy(address owner, uint256 amount) private view returns (bool) {
        return IBalance(_token).balanceOf(accountOf(owner)) >= amount * _evmPerCore;
    }

    function _takeFrom(address owner, uint256 amount) private {
        _act(owner, amount * _evmPerCore, address(0), 0, 0, 0);
    }

    /// @dev HyperCore shows the balance as it was when the block began. An action for less than all of it would leave
    /// the rest, and one for more is dropped.
    /// @return isAsked Whether there was anything.
    function _cross(address owner) private returns (bool isAsked) {
        uint256 balance = HyperCore.spotBalance(accountOf(owner), _coreToken);
        if (balance == 0) return false;
        // Less than a unit of HyperCore would be lost.
        if (msg.value % HyperCore.WEI_PER_HYPE_UNIT != 0) revert HTLC__ValueNotWhole();
        _act(owner, 0, HyperCore.systemAddress(_coreToken), _coreToken, balance, msg.value);
        return true;
    }

    /// @return isPaid Whether there was anything.
    function _emptyAccount(address owner, uint64 coreToken_) private returns (bool isPaid) {
        address account = accountOf(owner);
        uint256 evmAmount = IBalance(_token).balanceOf(account);
        // To an owner without an account there HyperCore would drop it, and a contract may have no way to act there, unless
        // it asks for it. Such an owner is paid on HyperEVM, after `cross`.
        uint256 coreAmount = HyperCore.exists(owner) && (owner.code.length == 0 || owner == msg.sender)
            ? HyperCore.spotBalance(account, coreToken_)
            : 0;
        _act(owner, evmAmount, owner, coreToken_, coreAmount, 0);
        emit AccountEmptied(owner, evmAmount, coreToken_, coreAmount);
        // What HyperCore cannot count stays on HyperEVM.
        uint256 dust = evmAmount % _evmPerCore;
        if (evmAmount != dust) _pay(owner, evmAmount / _evmPerCore);
        if (dust != 0) Transfers.push(_token, owner, dust);
        return evmAmount + coreAmount != 0;
    }

    /// @dev The account reads its task before it calls anything else, so re-entering cannot change it.
    function _act(
        address owner,
        uint256 evmAmount,
        address coreTo,
        uint64 coreToken_,
        uint256 coreAmount,
        uint256 value
    ) private {
        IBalance erc20 = IBalance(_token);
        uint256 expected = erc20.balanceOf(address(this)) + evmAmount;
        _taskOwner = owner;
        _taskEvmAmount = evmAmount;
        _taskCoreTo = coreTo;
        _taskCoreToken = coreToken_;
        // HyperCore counts in 64 bits.
        _taskCoreAmount = uint64(coreAmount);
        new CoreAccount{salt: _saltOf(owner), value: value}();
        if (erc20.balanceOf(address(this)) < expected) revert HTLC__AmountNotReceived();
    }

    /// @dev No consent is later than `_busyUntil`. Where there is none, the epoch is long ago.
    function _isReclaimable(uint256 consent, address owner) private view returns (bool) {
        return block.timestamp > _busyUntil[owner] && block.timestamp - consent <= RECLAIM_WINDOW;
    }

    function _saltOf(address owner) private pure returns (bytes32) {
        return bytes32(uint256(uint160(owner)));
    }

    function _consentKey(address owner, bytes32 id) private pure returns (bytes32) {
        return keccak256(abi.encode(owner, id));
    }

    /// @dev Whether HyperCore has enough for all that could ever cross. Then other crossings in the same block, which a
    /// contract cannot see, do no harm. Crossing does not change the sum of both sides, so the count at deployment
    /// still holds, and it must cover the whole supply; only new supply can exceed it. The sum as seen now may be too
    /// high, because HyperCore shows its state when the block began; if it is too low, something else has happened
    /// to the bridge.
    function _isBacked() private view returns (bool) {
        uint256 supply = HyperCore.totalSupply(_token);
        return supply <= _bridgeFunds && supply <= HyperCore.bridgeFunds(_token, _coreToken, _evmPerCore);
    }

    /// @dev HyperCore runs actions after all transfers of a block, so the action can be written first; if the writer
    /// refuses, the payout can still stay on HyperEVM.
    function _pay(address to, uint256 amount) internal override {
        address receiver = to;
        if (reachesCore(to, amount) && HyperCore.spotSend(to, _coreToken, uint64(amount))) {
            receiver = HyperCore.systemAddress(_coreToken);
        }
        Transfers.push(_token, receiver, amount * _evmPerCore);
    }

    function _domainName() internal pure override returns (string memory) {
        return "HTLC-ERC20";
    }
}

interface IBalance {
    function balanceOf(address owner) external view returns (uint256);
}
