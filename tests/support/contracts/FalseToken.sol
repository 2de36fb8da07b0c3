// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Answers false instead of reverting, as old tokens do.
contract FalseToken {
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function transfer(address, uint256) external pure returns (bool) {
        return false;
    }
}
