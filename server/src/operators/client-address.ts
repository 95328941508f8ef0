/** Where the address of whoever asks stands for better-auth: sign-in-routes.ts overwrites what a caller sends under that name. */
export const CLIENT_ADDRESS_HEADER = 'x-gatehouse-peer'
