/**
 * So many nonces of a deposit address may be used up without the books knowing: authorizations of
 * before a restore. Any more is believed of no node, not even if there is only one.
 */
export const UNBOOKED_NONCES_MAX = 3;
