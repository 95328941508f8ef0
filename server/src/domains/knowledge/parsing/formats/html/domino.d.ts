/** The package's own types name another module, and need those of browsers. */
declare module '@mixmark-io/domino' {
  export const createDocument: (html: string, isFinal: boolean) => import('./dom.ts').DomDocument
}
