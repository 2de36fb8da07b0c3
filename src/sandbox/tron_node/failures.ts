/** A refusal of a transaction. The name is that of java-tron's exception. */
export class ContractValidation extends Error {
  override name = "org.tron.core.exception.ContractValidateException";
}
export class ContractExecution extends Error {
  override name = "org.tron.core.exception.ContractExeException";
}
export class BadSignature extends Error {
  override name = "org.tron.core.exception.ValidateSignatureException";
}
export class ResourceInsufficient extends Error {
  override name = "org.tron.core.exception.AccountResourceInsufficientException";
}
export class Duplicate extends Error {
  override name = "org.tron.core.exception.DupTransactionException";
}
export class TaposMismatch extends Error {
  override name = "org.tron.core.exception.TaposException";
}
export class Expired extends Error {
  override name = "org.tron.core.exception.TransactionExpirationException";
}
export class TooBig extends Error {
  override name = "org.tron.core.exception.TooBigTransactionException";
}
