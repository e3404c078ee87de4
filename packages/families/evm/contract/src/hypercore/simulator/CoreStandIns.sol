// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Simulator contracts in place of the contracts that HyperEVM has at fixed addresses. The simulator writes their storage.

/// @dev At 0x3333333333333333333333333333333333333333.
contract CoreWriterStandIn {
    event RawAction(address indexed user, bytes data);

    function sendRawAction(bytes calldata data) external {
        // Hyperliquid's burns about 25,000 gas before it logs.
        uint256 end = gasleft() - 25_000;
        while (gasleft() > end) {}
        emit RawAction(msg.sender, data);
    }
}

/// @dev At 0x2222222222222222222222222222222222222222. Hyperliquid's documentation: "a system contract that emits event
/// Received(address indexed user, uint256 amount) as its payable receive() function".
contract HypeBridgeStandIn {
    event Received(address indexed user, uint256 amount);

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }
}

/// @dev At 0x801. Slots: keccak256(user, token) has the balance, the next one the part on hold for open orders.
contract SpotBalanceStandIn {
    fallback(bytes calldata input) external returns (bytes memory) {
        bytes32 slot = keccak256(input);
        return abi.encode(Slots.read(slot), Slots.read(bytes32(uint256(slot) + 1)), uint256(0));
    }
}

/// @dev At 0x810. Slots: the account.
contract CoreUserExistsStandIn {
    fallback(bytes calldata input) external returns (bytes memory) {
        return abi.encode(Slots.read(bytes32(input)));
    }
}

/// @dev At 0x80C. Slots: keccak256(token, 0) has the ERC-20, keccak256(token, 1) the decimals on HyperCore plus one,
/// keccak256(token, 2) how many more the ERC-20 has.
contract TokenInfoStandIn {
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

    fallback(bytes calldata input) external returns (bytes memory) {
        uint256 token = uint256(bytes32(input));
        uint256 decimals = Slots.read(keccak256(abi.encode(token, 1)));
        if (decimals == 0) {
            // A read of an unknown token burns all gas that it was given.
            assembly ("memory-safe") {
                invalid()
            }
        }
        TokenInfo memory info;
        info.name = "SIMULATED";
        info.spots = new uint64[](1);
        info.evmContract = address(uint160(Slots.read(keccak256(abi.encode(token, 0)))));
        info.weiDecimals = uint8(decimals - 1);
        info.evmExtraWeiDecimals = int8(int256(Slots.read(keccak256(abi.encode(token, 2)))));
        return abi.encode(info);
    }
}

library Slots {
    function read(bytes32 slot) internal view returns (uint256 value) {
        assembly ("memory-safe") {
            value := sload(slot)
        }
    }
}
