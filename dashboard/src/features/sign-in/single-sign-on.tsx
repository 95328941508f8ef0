import { Button, Divider } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { signInMethods, signInWithProvider } from '../../api/auth.ts'
import { notifyError } from '../../ui/notify.ts'
import { addressOf } from './enter.ts'

/** The company's own sign-in, where the server knows one. */
export function SingleSignOn({ next }: { readonly next: string | undefined }) {
  const provider = useQuery({ queryKey: ['sign-in methods'], queryFn: signInMethods }).data?.oidc
  const leave = useMutation({
    mutationFn: () => signInWithProvider(addressOf(next)),
    onSuccess: ({ url }) => location.assign(url),
    onError: notifyError,
  })
  if (!provider) return null
  return (
    <>
      <Divider label="or" />
      <Button variant="default" loading={leave.isPending} onClick={() => leave.mutate()}>
        Sign in with {provider.name}
      </Button>
    </>
  )
}
