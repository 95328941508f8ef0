import { styleNonce } from '../ui/style-nonce.ts'

export { styleNonce }

/** react-remove-scroll reads the nonce from this variable. */
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
