/** A URL without its path and query, which may hold a credential. Only the form shows the whole URL. */
export const shownUrl = (url: string): string => `${new URL(url).origin}/…`
