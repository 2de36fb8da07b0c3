// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Calls whatever it is told, also when it is paid, and runs other contracts' code as its own.
contract Attacker {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    Call[] private calls;

    receive() external payable {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok,) = calls[i].target.call{value: calls[i].value}(calls[i].data);
            ok;
        }
    }

    function prepare(Call[] calldata calls_) external {
        delete calls;
        for (uint256 i = 0; i < calls_.length; i++) calls.push(calls_[i]);
    }

    function run(Call[] calldata calls_) external payable {
        for (uint256 i = 0; i < calls_.length; i++) {
            (bool ok,) = calls_[i].target.call{value: calls_[i].value}(calls_[i].data);
            ok;
        }
    }

    function borrow(address code, bytes[] calldata datas) external payable {
        for (uint256 i = 0; i < datas.length; i++) {
            (bool ok,) = code.delegatecall(datas[i]);
            ok;
        }
    }
}
