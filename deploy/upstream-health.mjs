// Ends with 0 when the address given as argument answers with a 2xx within 3 s, else with 1.
const [url] = process.argv.slice(2);
try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
