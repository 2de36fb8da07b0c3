import type { Permission } from "../account.ts";
import { int64In, type Message, messageIn, messagesIn, textIn } from "../api/values.ts";
import { ContractValidation } from "../failures.ts";
import type { World } from "../world.ts";
import type { Bill } from "./bill.ts";

/** An account is given to other keys. */
export function changePermissions(
  { accounts, parameters }: World,
  value: Message,
  bill: Bill,
): void {
  const owner = String(value.owner_address);
  if (!value.owner) throw new ContractValidation("owner permission is missed");
  if (!value.actives) throw new ContractValidation("active permission is missed");
  const permission = permissionIn(messageIn(value.owner));
  const actives = messagesIn(value.actives).map(permissionIn);
  for (const each of [permission, ...actives]) {
    const weights = (each.keys ?? []).map(({ weight }) => weight);
    if (weights.length === 0) {
      throw new ContractValidation("key's count should be greater than 0");
    }
    if (weights.reduce((sum, weight) => sum + weight, 0n) < (each.threshold ?? 0n)) {
      throw new ContractValidation(
        `sum of all key's weight should not be less than threshold in permission ${each.type}`,
      );
    }
  }
  bill.fee += parameters().getUpdateAccountPermissionFee;
  accounts.burn(owner, bill.fee);
  accounts.change(owner, (account) => ({
    ...account,
    owner: permission,
    actives: actives.map((active, i) => ({ ...active, id: i + 2 })),
  }));
}

function permissionIn(message: Message): Permission {
  return {
    type: textIn(message.type),
    permission_name: textIn(message.permission_name),
    threshold: int64In(message.threshold),
    operations: textIn(message.operations),
    keys: messagesIn(message.keys).map(({ address, weight }) => ({
      address: textIn(address),
      weight: int64In(weight),
    })),
  };
}
