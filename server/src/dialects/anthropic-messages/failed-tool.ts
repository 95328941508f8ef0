/** The chat form has no mark for a tool that failed, so the result's text begins with it. */
export const FAILED = 'Error: '
