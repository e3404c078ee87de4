// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Reads and actions of HyperCore for a contract on HyperEVM.
/// @dev Hyperliquid's documentation: "Interacting with HyperCore", "HyperCore <> HyperEVM transfers", "Interaction
/// timings". Reads give the state of HyperCore as it was when the block began. Actions run after the block; HyperCore
/// silently drops those that fail.
library HyperCore {
    /// The answer of the read at TOKEN_INFO, in the order of Hyperliquid's L1Read.sol.
    struct TokenInfo {
        string name;
        uint64[] spots;
        uint64 deployerTradingFeeShare;
        address deployer;
        address evmContract;
        uint8 szDecimals;
        uint8 weiDecimals;
        int8 evmExtraWeiDecimals;
    }

    /// HYPE that is sent here crosses to HyperCore, in multiples of its unit there.
    address internal constant HYPE_BRIDGE = 0x2222222222222222222222222222222222222222;
    uint256 internal constant WEI_PER_HYPE_UNIT = 10 ** 10;

    address private constant SPOT_BALANCE = 0x0000000000000000000000000000000000000801;
    address private constant TOKEN_INFO = 0x000000000000000000000000000000000000080C;
    address private constant CORE_USER_EXISTS = 0x0000000000000000000000000000000000000810;
    address private constant CORE_WRITER = 0x3333333333333333333333333333333333333333;

    /// Hyperliquid allows a difference of 18 decimals at most.
    int8 private constant MAX_EXTRA_DECIMALS = 18;

    /// @notice HyperCore does not link this token to an ERC-20 with at least as many decimals.
    error HTLC__TokenNotLinked();
    /// @notice The sender of the transaction must not decide by its gas whether a payout reaches HyperCore.
    error HTLC__GasTooLow();

    /// A read costs 2,000 gas and 65 for each byte of the answer. A read that fails burns this whole limit, and the payout
    /// must still have enough gas without the answer. A sender who starves a read leaves too little gas for any payout.
    uint256 private constant READ_GAS = 15_000;

    /// The writer burns about 25,000 before it logs.
    uint256 private constant WRITE_GAS = 60_000;

    /// Version 1 of the encoding, action 6: spot send.
    bytes4 private constant SPOT_SEND = 0x01000006;

    /// @notice The bridge address of a token, on both sides.
    /// @param token Its index on HyperCore.
    function systemAddress(uint64 token) internal pure returns (address) {
        return address((uint160(0x20) << 152) | uint160(token));
    }

    /// @param user Any account.
    /// @param token Its index on HyperCore.
    /// @return balance Zero when HyperCore does not answer.
    function spotBalance(address user, uint64 token) internal view returns (uint256 balance) {
        (, balance) = _ask(SPOT_BALANCE, READ_GAS, abi.encode(user, token));
    }

    /// @notice The funds of a token's bridge on both sides together, in units of the ERC-20.
    /// @param erc20 The token on HyperEVM.
    /// @param token Its index on HyperCore.
    /// @param evmPerCore Units of the ERC-20 in one unit of HyperCore.
    function bridgeFunds(address erc20, uint64 token, uint256 evmPerCore) internal view returns (uint256) {
        address bridge = systemAddress(token);
        (bool success, uint256 balance) = _ask(erc20, gasleft(), abi.encodeWithSignature("balanceOf(address)", bridge));
        return success ? spotBalance(bridge, token) * evmPerCore + balance : 0;
    }

    /// @param erc20 The token on HyperEVM.
    /// @return supply The largest number when the token does not answer.
    function totalSupply(address erc20) internal view returns (uint256 supply) {
        bool success;
        (success, supply) = _ask(erc20, gasleft(), abi.encodeWithSignature("totalSupply()"));
        if (!success) supply = type(uint256).max;
    }

    /// @notice Whether the account was activated before this block, so that it can act and receives without a fee.
    /// @param user Any account.
    function exists(address user) internal view returns (bool) {
        (, uint256 answer) = _ask(CORE_USER_EXISTS, READ_GAS, abi.encode(user));
        return answer == 1;
    }

    /// @notice How HyperCore links a token to an ERC-20.
    /// @dev Reverts if HyperCore does not know the token.
    /// @param token Its index on HyperCore.
    function linkOf(uint64 token) internal view returns (TokenInfo memory info) {
        (bool success, bytes memory answer) = TOKEN_INFO.staticcall(abi.encode(token));
        require(success);
        info = abi.decode(answer, (TokenInfo));
        int8 extra = info.evmExtraWeiDecimals;
        if (info.evmContract.code.length == 0 || extra < 0 || extra > MAX_EXTRA_DECIMALS) {
            revert HTLC__TokenNotLinked();
        }
    }

    /// @notice Has the calling contract's account on HyperCore send a token, after this block.
    /// @param to The account on HyperCore that gets it.
    /// @param token Its index on HyperCore.
    /// @param amount In the units of HyperCore.
    /// @return accepted Whether the action was queued. It may still fail.
    function spotSend(address to, uint64 token, uint64 amount) internal returns (bool accepted) {
        bytes memory action = abi.encodePacked(SPOT_SEND, abi.encode(to, token, amount));
        if (CORE_WRITER.code.length == 0) return false;
        // EIP-150: a call gets at most 63 of 64 parts of what is left.
        if (gasleft() * 62 / 64 < WRITE_GAS) revert HTLC__GasTooLow();
        (accepted,) = CORE_WRITER.call(abi.encodeWithSignature("sendRawAction(bytes)", action));
    }

    /// @return success Whether there was an answer.
    /// @return answer Its first word; zero when there is none.
    function _ask(address target, uint256 gasLimit, bytes memory data)
        private
        view
        returns (bool success, uint256 answer)
    {
        assembly ("memory-safe") {
            success := staticcall(gasLimit, target, add(data, 0x20), mload(data), 0x00, 0x20)
            success := and(success, gt(returndatasize(), 0x1f))
            if success { answer := mload(0x00) }
        }
    }
}
