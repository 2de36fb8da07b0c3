// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Logs transfers that never happened, and other events that look like one.
contract LyingToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;

    function fake(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }

    /// The shape of an NFT's transfer: four topics, no data.
    function fakeNft(address to, uint256 id) external {
        bytes32 topic = keccak256("Transfer(address,address,uint256)");
        bytes32 from = bytes32(uint256(uint160(msg.sender)));
        bytes32 recipient = bytes32(uint256(uint160(to)));
        assembly {
            log4(0, 0, topic, from, recipient, id)
        }
    }

    /// Three topics, but two words of data.
    function fakeLong(address to, uint256 value) external {
        bytes32 topic = keccak256("Transfer(address,address,uint256)");
        bytes32 from = bytes32(uint256(uint160(msg.sender)));
        bytes32 recipient = bytes32(uint256(uint160(to)));
        assembly {
            mstore(0, value)
            mstore(32, value)
            log3(0, 64, topic, from, recipient)
        }
    }
}
