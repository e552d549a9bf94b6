import { z } from 'zod';

const formats: Readonly<Record<string, z.ZodType>> = {
  'a@example.com': z.email(),
  '10.0.0.1': z.ipv4(),
  '2001:db8::1': z.ipv6(),
  '550e8400-e29b-41d4-a716-446655440000': z.uuid(),
  '2026-11-30T12:00:00Z': z.iso.datetime(),
  V1StGXR8_Z5jdHi6B_myT: z.nanoid(),
  'https://example.com/': z.url(),
};

/** Returns the texts that zod's formats refuse. */
export async function refusedTexts(): Promise<readonly string[]> {
  return Object.entries(formats)
    .filter(([text, format]) => !format.safeParse(text).success)
    .map(([text]) => text);
}
