/** Request header with which better-auth gets the client's address. sign-in-routes.ts overwrites the client's own header. */
export const CLIENT_ADDRESS_HEADER = 'x-gatehouse-peer'
