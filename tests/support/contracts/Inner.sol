// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Every way in which a contract moves coins, or only seems to.
contract Inner {
    receive() external payable {}

    function pay(address payable to, uint256 value) public payable {
        (bool ok,) = to.call{value: value}("");
        require(ok, "refused");
    }

    function payAndRevert(address payable to, uint256 value) external payable {
        pay(to, value);
        revert("changed my mind");
    }

    /// The inner call fails and with it what it paid; the outer one goes on.
    function payInVainThen(address payable to, uint256 value, uint256 later) external payable {
        try this.payAndRevert{value: value}(to, value) {} catch {}
        pay(to, later);
    }

    function payAndFail(address payable to, uint256 value) external payable {
        pay(to, value);
        revert("all of it");
    }

    function create(uint256 value) external payable {
        new Till{value: value}();
    }

    function create2(uint256 value, bytes32 salt) external payable {
        new Till{value: value, salt: salt}();
    }

    function bomb(address payable to, uint256 value) external payable {
        new Bomb{value: value}(to);
    }

    /// DELEGATECALL: the code of another works here, with the value of this call shown again.
    function lend(address code, address payable to, uint256 value) external payable {
        (bool ok,) = code.delegatecall(abi.encodeCall(this.pay, (to, value)));
        require(ok, "refused");
    }

    /// CALLCODE sends to itself what it shows as sent to `code`.
    function callcode_(address code, uint256 value) external payable {
        bool ok;
        assembly {
            ok := callcode(gas(), code, value, 0, 0, 0, 0)
        }
        require(ok, "refused");
    }

    /// As a wallet of several owners does: a precompile is called before the payment.
    function payChecked(address payable to, uint256 value) external payable {
        require(ecrecover(bytes32(0), 27, bytes32(0), bytes32(0)) == address(0), "owner");
        pay(to, value);
    }

    function look(address target) external payable {
        (bool ok,) = target.staticcall("");
        require(ok, "refused");
    }
}

contract Till {
    constructor() payable {}
}

contract Bomb {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}
