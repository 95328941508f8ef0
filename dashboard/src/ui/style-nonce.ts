/** The nonce that the server gave this page's styles; browsers show it to scripts of the page only. */
export const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
