declare const brand: unique symbol

/**
 * A text that other users read, after the policies let it pass. Only messaging/governance makes one; tables and stores take nothing
 * else, so that a write of an ungoverned text does not compile.
 */
export type GovernedString = string & { readonly [brand]: 'governed' }
