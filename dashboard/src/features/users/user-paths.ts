/** Paths whose data a change of a user affects. */
export const USER_PATHS = ['/admin/v1/users', '/admin/v1/departments', '/admin/v1/projects']
