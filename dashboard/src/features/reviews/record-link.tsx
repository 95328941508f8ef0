import { Link } from '../../ui/link.tsx'

/** To the audit record of a request. */
export const RecordLink = ({ id }: { readonly id: string }) => <Link to={`/audit/${id}`}>Follow the request</Link>
