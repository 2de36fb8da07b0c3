/** Complete addresses of what no family follows. */
export const UNSUPPORTED: readonly { readonly name: string; readonly looksWhole: RegExp }[] = [
  {
    name: "Litecoin's extension blocks (MWEB)",
    looksWhole: /^(?:ltc|t)mweb1[02-9ac-hj-np-z]{60,120}$/i,
  },
];
