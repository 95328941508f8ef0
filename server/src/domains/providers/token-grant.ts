/** A credential that a token endpoint exchanges for an access token (RFC 6749). */
export interface TokenGrant {
  /** Address of the token endpoint. */
  readonly tokenUri: string
  /** All that the token depends on, as JSON. Accounts with different values never share a token. */
  readonly account: object
  /** The fields of the request. `issuedAt`: seconds since the epoch. undefined: the credential cannot be used. */
  form(issuedAt: number): Promise<Readonly<Record<string, string>> | undefined>
}
