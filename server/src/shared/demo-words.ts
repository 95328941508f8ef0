/** `iss` of the demo's user tokens. It also identifies the seeded Workspace, because no other Workspace has it. */
export const DEMO_ISSUER = 'gatehouse-demo'

export const DEMO_OWNER_EMAIL = 'owner@demo.example' as const
export const DEMO_REVIEWER_EMAIL = 'reviewer@demo.example' as const
