import { Link } from '../../ui/link.tsx'

/** Link to the audit record of a request. */
export const RecordLink = ({ id }: { readonly id: string }) => <Link to={`/audit/${id}`}>View audit record</Link>
