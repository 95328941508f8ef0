declare const brand: unique symbol

/** Only messaging/governance makes one, and stores accept no plain string, so that a write of an ungoverned text does not compile. */
export type GovernedString = string & { readonly [brand]: 'governed' }
