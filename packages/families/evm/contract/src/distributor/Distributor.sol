// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Signatures} from "../Signatures.sol";
import {Transfers} from "../Transfers.sol";

/// @title Pays affiliates: each recipient gets the total that the signer promised, less what was paid before.
/// @notice No owner, no upgrade, no pause, and no way to take money out but by a claim. Anyone may fund it.
/// @dev A claim is a running total per recipient and token, not a payment: an old signature pays nothing that a newer one
/// has paid, and none pays twice. So a signature needs no nonce and no deadline.
///
/// Invariants:
/// 1. A recipient is never paid more of a token than the highest total that was signed for both.
/// 2. `paid` grows before the transfer that it stands for, so re-entering finds nothing due.
/// 3. A claim of one token or recipient never moves another token, nor pays another recipient.
///
/// The signer can promise away all that the contract holds: fund it with what is owed, not more. It is fixed. One that
/// may have to be replaced can be an ERC-1271 account.
///
/// A token that takes a fee on transfers takes it from the recipient. Rebasing tokens, and tokens that take a fee on top
/// of what they send, are not supported: their claims could use up what others are owed.
contract Distributor is Signatures {
    /// @param total The sum of this token that the recipient has been paid, with this amount.
    event Claimed(address indexed recipient, address indexed token, uint256 amount, uint256 total);

    error Distributor__ZeroAddressSigner();
    error Distributor__ZeroAddressRecipient();
    /// @notice The total of this claim has been paid already.
    error Distributor__NothingDue();

    bytes32 private constant CLAIM_TYPEHASH = keccak256("Claim(address recipient,address token,uint256 total)");

    address private immutable _signer;

    /// @notice The sum paid so far, by recipient and token. The zero address stands for the native coin.
    mapping(address recipient => mapping(address token => uint256)) public paid;

    constructor(address signer_) {
        if (signer_ == address(0)) revert Distributor__ZeroAddressSigner();
        _signer = signer_;
    }

    /// @notice Funding with the native coin. Tokens are sent by a plain transfer.
    receive() external payable {}

    /// @notice Pays the recipient what is due of the total. Anyone may call: the recipient is part of what was signed.
    /// @param total All that the recipient has earned of this token so far.
    /// @param signature The signer's EIP-712 signature of Claim(recipient, token, total).
    /// @return amount The amount that this call paid.
    function claim(address recipient, address token, uint256 total, bytes calldata signature)
        external
        returns (uint256 amount)
    {
        if (recipient == address(0)) revert Distributor__ZeroAddressRecipient();
        bytes32 structHash = keccak256(abi.encode(CLAIM_TYPEHASH, recipient, token, total));
        _requireSignature(_signer, _typedDataDigest(structHash), signature);

        uint256 before = paid[recipient][token];
        if (total <= before) revert Distributor__NothingDue();
        amount = total - before;
        paid[recipient][token] = total;
        emit Claimed(recipient, token, amount, total);

        if (token == address(0)) Transfers.pushNative(recipient, amount);
        else Transfers.push(token, recipient, amount);
    }

    /// @notice The account whose signatures permit claims.
    function signer() external view returns (address) {
        return _signer;
    }

    function _domainName() internal pure override returns (string memory) {
        return "Distributor";
    }
}
