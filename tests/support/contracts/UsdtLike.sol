// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Like Tether's: a transfer returns nothing, a banned sender cannot pay, a banned recipient can be paid.
contract UsdtLike {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    mapping(address => bool) public isBanned;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function ban(address account) external {
        isBanned[account] = true;
    }

    function transfer(address to, uint256 value) external {
        require(!isBanned[msg.sender]);
        require(balanceOf[msg.sender] >= value);
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}
