// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface Payable20 {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Many payments in one transaction.
contract Disperse {
    function ether_(address payable[] calldata to, uint256[] calldata values) external payable {
        for (uint256 i = 0; i < to.length; i++) {
            (bool ok,) = to[i].call{value: values[i]}("");
            require(ok, "refused");
        }
    }

    function token_(Payable20 token, address[] calldata to, uint256[] calldata values) external {
        for (uint256 i = 0; i < to.length; i++) {
            require(token.transferFrom(msg.sender, to[i], values[i]), "refused");
        }
    }
}
