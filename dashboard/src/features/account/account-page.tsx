import { Stack, Text } from '@mantine/core'
import { revokeOtherSessions } from '../../api/auth.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { ROLE_NAMES } from '../../ui/roles.ts'
import { Section } from '../../ui/section.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'

/** What somebody may do about their own sign-in. */
export function Page() {
  const operator = useSession().data?.operator
  if (!operator) return null
  const { name, email, role } = operator
  return (
    <Frame title="Account">
      <Section title="You">
        <Facts
          facts={[
            ['Name', name],
            ['E-mail', email],
            ['Role', role && ROLE_NAMES[role]],
          ]}
        />
      </Section>
      <Section title="Second factor">
        <SecondFactor enabled={operator.two_factor} />
      </Section>
      <Section title="Password">
        <PasswordForm />
      </Section>
      <Section title="Other browsers">
        <Stack align="flex-start">
          <Text size="sm">If you have signed in elsewhere and cannot sign out there, end those sessions from here.</Text>
          <ConfirmButton
            destructive={false}
            question="Sign out everywhere else?"
            consequence="All sessions but this one end at once."
            onConfirm={() => revokeOtherSessions().then(() => notifyDone('All other sessions have ended.'))}
          >
            Sign out everywhere else
          </ConfirmButton>
        </Stack>
      </Section>
    </Frame>
  )
}
