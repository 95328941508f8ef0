import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createBackupCodes, disableTwoFactor, enableTwoFactor, type NewTwoFactor } from '../../api/auth.ts'
import { refreshPaths } from '../../api/queries.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { BackupCodes } from './backup-codes.tsx'
import { ConfirmPasswordForm } from './confirm-password-form.tsx'
import { TwoFactorSetup } from './two-factor-setup.tsx'

type Step =
  | { readonly kind: 'confirm'; readonly action: 'enable' | 'disable' | 'codes' }
  | { readonly kind: 'set-up'; readonly factor: NewTwoFactor }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }

const TITLES = {
  enable: 'Set up two-factor authentication',
  disable: 'Turn off two-factor authentication',
  codes: 'Create backup codes',
} as const

/** Setup of two-factor authentication. Every change asks for the password first. */
export function TwoFactorSection({ enabled }: { readonly enabled: boolean }) {
  const queries = useQueryClient()
  const [step, setStep] = useState<Step>()
  const close = () => {
    setStep(undefined)
    void refreshPaths(queries, ['/admin/v1/session'])
  }
  const start = async (action: 'enable' | 'disable' | 'codes', password: string) => {
    if (action === 'enable') setStep({ kind: 'set-up', factor: await enableTwoFactor(password) })
    else if (action === 'codes') setStep({ kind: 'codes', codes: (await createBackupCodes(password)).backupCodes })
    else await disableTwoFactor(password).then(close)
  }
  return (
    <Stack align="flex-start">
      <Badge color={enabled ? 'green' : 'gray'}>{enabled ? 'On' : 'Off'}</Badge>
      <Text size="sm">Sign in with your password and a code from an authenticator app.</Text>
      <Group>
        {enabled ? (
          <>
            <Button variant="default" size="xs" onClick={() => setStep({ kind: 'confirm', action: 'codes' })}>
              Create backup codes
            </Button>
            <Button variant="default" size="xs" onClick={() => setStep({ kind: 'confirm', action: 'disable' })}>
              Turn off
            </Button>
          </>
        ) : (
          <Button size="xs" onClick={() => setStep({ kind: 'confirm', action: 'enable' })}>
            Set up
          </Button>
        )}
      </Group>
      <FormModal
        opened={step !== undefined && step.kind !== 'codes'}
        unsaved={step?.kind === 'set-up'}
        onClose={close}
        title={step?.kind === 'confirm' ? TITLES[step.action] : 'Two-factor authentication'}
        closeOnClickOutside={false}
      >
        {step?.kind === 'confirm' && <ConfirmPasswordForm onConfirm={(password) => start(step.action, password)} />}
        {step?.kind === 'set-up' && (
          <TwoFactorSetup factor={step.factor} onDone={() => setStep({ kind: 'codes', codes: step.factor.backupCodes })} />
        )}
      </FormModal>
      <BackupCodes codes={step?.kind === 'codes' ? step.codes : undefined} onDone={close} />
    </Stack>
  )
}
