import { startRecorder } from '../support/record-histories.js';
import { recordingNames, saveRecording } from '../support/recording.js';
import { scenarios } from './scenarios.js';

const help = `Records histories on a real Temporal server into test/histories.

Usage: node dist/test/replay/record.js [name ...]

Without a name it records the scenarios of test/replay/scenarios.ts that have no history yet. A
recorded history is what a released version did: name it to record it anew before a release only.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const [unknown] = args.filter((arg) => !Object.hasOwn(scenarios, arg));
  if (unknown !== undefined) {
    process.stderr.write(unknown === '--help' ? help : `There is no scenario ${unknown}.\n${help}`);
    return unknown === '--help' ? 0 : 2;
  }
  const present = await recordingNames();
  const missing = Object.keys(scenarios).filter(
    (name) => !present.includes(name) && !present.includes(`${name}-1`),
  );
  await recordAll(args.length === 0 ? missing : args);
  return 0;
}

async function recordAll(names: readonly string[]): Promise<void> {
  const recorder = await startRecorder();
  try {
    for (const [name, scenario] of Object.entries(scenarios)) {
      if (!names.includes(name)) continue;
      const recorded = await scenario(recorder, name);
      const chain = Array.isArray(recorded)
        ? recorded.map((recording, index) => [`${name}-${index + 1}`, recording] as const)
        : [[name, recorded] as const];
      for (const [file, recording] of chain) {
        await saveRecording(file, recording);
        process.stdout.write(`${file}\n`);
      }
    }
  } finally {
    await recorder.stop();
  }
}
