import { styleNonce } from '../ui/style-nonce.ts'

export { styleNonce }

/** Where the library that locks the page behind a dialog looks for it. */
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
