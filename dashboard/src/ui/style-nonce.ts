/** The page's nonce for styles. Browsers expose it only to scripts of the page. */
export const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
