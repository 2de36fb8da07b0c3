/** Complete addresses of chains that no family follows. */
export const UNSUPPORTED: readonly { readonly name: string; readonly looksWhole: RegExp }[] = [
  { name: "Bitcoin", looksWhole: /^bc1[02-9ac-hj-np-z]{11,71}$/i },
  { name: "Bitcoin", looksWhole: /^[13][1-9A-HJ-NP-Za-km-z]{25,34}$/ },
];
