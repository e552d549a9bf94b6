import { keptPlaceMs } from './lane.js';
import { windowMs } from './rolling-window.js';

/** Milliseconds of the server's clock; unlike the statement's time it is read after the key's row was waited for. */
const clock = 'extract(epoch from clock_timestamp())::double precision * 1000';

/**
 * Moves all times of a key. After the server's clock was set back its past moves along: the time between two asks is
 * lost, no capacity is.
 */
const shift = `
create function holdfast_limit_shift(shifted_key text, by_ms double precision) returns void
language sql as $$
  update holdfast_limit_spent set at = at + by_ms where key = shifted_key;
  update holdfast_limit_places set back_at = back_at + by_ms where key = shifted_key;
  update holdfast_limit_keys set asked_at = asked_at + by_ms, last_at = last_at + by_ms
  where key = shifted_key;
$$`;

/**
 * Locks a key's row and brings it to the present. A crash of the server may forget the last moments (three times
 * wal_writer_delay): waiting for the disk while the row is locked would let a key admit only as often as that.
 */
const open = `
create function holdfast_limit_open(opened_key text) returns holdfast_limit_keys
language plpgsql as $$
declare
  k holdfast_limit_keys;
  now_ms double precision;
begin
  perform set_config('synchronous_commit', 'off', true);
  loop
    select * into k from holdfast_limit_keys where key = opened_key for update;
    exit when found;
    insert into holdfast_limit_keys (key, asked_at) values (opened_key, ${clock})
    on conflict (key) do nothing;
  end loop;
  now_ms := ${clock};
  if now_ms < k.asked_at then
    perform holdfast_limit_shift(opened_key, now_ms - k.asked_at);
    k.last_at := k.last_at + now_ms - k.asked_at;
  end if;
  k.asked_at := now_ms;
  with gone as (
    delete from holdfast_limit_spent where key = opened_key and at <= now_ms - ${windowMs}
    returning tokens
  )
  select k.requests - count(*), k.tokens - coalesce(sum(tokens), 0) into k.requests, k.tokens
  from gone;
  return k;
end $$`;

/** Says when a place's turn comes, if all reserved tokens are used: what forecast.ts says. */
const foretell = `
create function holdfast_limit_foretell(
  k holdfast_limit_keys, mine_id bigint,
  request_limit double precision, token_limit double precision, interval_ms double precision
) returns double precision
language plpgsql as $$
declare
  spent cursor for
    select at, tokens from holdfast_limit_spent where key = k.key order by at, id;
  place holdfast_limit_places;
  used_requests bigint := k.requests;
  used_tokens bigint := k.tokens;
  turn_at double precision := k.asked_at;
  last_at double precision := k.last_at;
  taken_at double precision[] := '{}';
  taken_tokens bigint[] := '{}';
  freed int := 0;
  first_at double precision;
  first_tokens bigint;
begin
  open spent;
  for place in
    select * from holdfast_limit_places as p
    where p.key = k.key and p.id <= mine_id and p.tokens <= token_limit
    order by p.id
  loop
    if not place.is_held then
      used_requests := used_requests + 1;
      used_tokens := used_tokens + place.tokens;
    end if;
    while used_requests > request_limit or used_tokens > token_limit loop
      fetch spent into first_at, first_tokens;
      if not found then
        freed := freed + 1;
        exit when freed > cardinality(taken_at);
        first_at := taken_at[freed];
        first_tokens := taken_tokens[freed];
      end if;
      used_requests := used_requests - 1;
      used_tokens := used_tokens - first_tokens;
      turn_at := greatest(turn_at, first_at + ${windowMs});
    end loop;
    turn_at := greatest(turn_at, last_at + interval_ms);
    last_at := turn_at;
    taken_at := taken_at || greatest(turn_at, place.back_at);
    taken_tokens := taken_tokens || place.tokens;
  end loop;
  return turn_at;
end $$`;

/**
 * Asks for a turn: at once where nobody has a place, else for the place under the ticket or for the last one. All places before it whose turn has come hold
 * their capacity first; turns that no longer fit, since more was used than reserved or the limit was lowered, are
 * taken back. Returns the id of what was spent, or else how long to wait.
 */
const ask = `
create function holdfast_limit_ask(
  asked_key text, request_limit double precision, token_limit double precision,
  interval_ms double precision, asked_tokens bigint, asked_ticket text,
  out spent_id bigint, out wait_ms double precision
)
language plpgsql as $$
declare
  k holdfast_limit_keys := holdfast_limit_open(asked_key);
  place holdfast_limit_places;
  mine holdfast_limit_places;
begin
  if k.requests + 1 <= request_limit and k.tokens + asked_tokens <= token_limit
    and k.asked_at >= k.last_at + interval_ms
    and not exists (select from holdfast_limit_places where key = asked_key)
  then
    insert into holdfast_limit_spent (key, at, tokens)
    values (asked_key, k.asked_at, asked_tokens)
    returning id into spent_id;
    update holdfast_limit_keys
    set asked_at = k.asked_at, last_at = k.asked_at,
      requests = k.requests + 1, tokens = k.tokens + asked_tokens
    where key = asked_key;
    return;
  end if;

  with gone as (
    delete from holdfast_limit_places where key = asked_key and back_at <= k.asked_at - ${keptPlaceMs}
    returning tokens, is_held
  )
  select k.requests - count(*), k.tokens - coalesce(sum(tokens), 0) into k.requests, k.tokens
  from gone where is_held;

  select * into mine from holdfast_limit_places where key = asked_key and ticket = asked_ticket;
  if not found then
    insert into holdfast_limit_places (key, ticket, tokens, back_at)
    values (asked_key, asked_ticket, asked_tokens, k.asked_at)
    returning * into mine;
  elsif mine.tokens <> asked_tokens then
    if mine.is_held then
      k.requests := k.requests - 1;
      k.tokens := k.tokens - mine.tokens;
    end if;
    update holdfast_limit_places set tokens = asked_tokens, is_held = false where id = mine.id
    returning * into mine;
  end if;

  if k.requests > request_limit or k.tokens > token_limit then
    with taken as (
      update holdfast_limit_places set is_held = false where key = asked_key and is_held
      returning tokens
    )
    select k.requests - count(*), k.tokens - coalesce(sum(tokens), 0) into k.requests, k.tokens
    from taken;
    mine.is_held := false;
  end if;

  for place in
    select * from holdfast_limit_places
    where key = asked_key and id <= mine.id and not is_held and tokens <= token_limit
    order by id
  loop
    exit when k.requests + 1 > request_limit or k.tokens + place.tokens > token_limit;
    k.requests := k.requests + 1;
    k.tokens := k.tokens + place.tokens;
    if place.id = mine.id then
      mine.is_held := true;
    else
      update holdfast_limit_places set is_held = true where id = place.id;
    end if;
  end loop;

  if mine.is_held and k.asked_at >= k.last_at + interval_ms then
    delete from holdfast_limit_places where id = mine.id;
    insert into holdfast_limit_spent (key, at, tokens) values (asked_key, k.asked_at, mine.tokens)
    returning id into spent_id;
    k.last_at := k.asked_at;
  else
    update holdfast_limit_places set is_held = mine.is_held where id = mine.id;
    wait_ms := greatest(1, ceil(
      holdfast_limit_foretell(k, mine.id, request_limit, token_limit, interval_ms) - k.asked_at
    ));
    update holdfast_limit_places set back_at = k.asked_at + wait_ms where id = mine.id;
  end if;

  update holdfast_limit_keys
  set asked_at = k.asked_at, last_at = k.last_at, requests = k.requests, tokens = k.tokens
  where key = asked_key;
end $$`;

/** Corrects what was spent to so many tokens; null takes the request back. What is forgotten stays forgotten. */
const correct = `
create function holdfast_limit_correct(corrected_key text, spent_id bigint, used_tokens bigint)
returns void
language plpgsql as $$
declare
  k holdfast_limit_keys := holdfast_limit_open(corrected_key);
  spent_tokens bigint;
begin
  select tokens into spent_tokens from holdfast_limit_spent where id = spent_id and key = corrected_key;
  if found and used_tokens is null then
    delete from holdfast_limit_spent where id = spent_id;
    k.requests := k.requests - 1;
    k.tokens := k.tokens - spent_tokens;
  elsif found then
    update holdfast_limit_spent set tokens = used_tokens where id = spent_id;
    k.tokens := k.tokens - spent_tokens + used_tokens;
  end if;
  update holdfast_limit_keys
  set asked_at = k.asked_at, last_at = k.last_at, requests = k.requests, tokens = k.tokens
  where key = corrected_key;
end $$`;

/** Gives up a place. */
const leave = `
create function holdfast_limit_leave(left_key text, left_ticket text) returns void
language plpgsql as $$
declare
  k holdfast_limit_keys := holdfast_limit_open(left_key);
  place holdfast_limit_places;
begin
  delete from holdfast_limit_places where key = left_key and ticket = left_ticket returning * into place;
  if found and place.is_held then
    k.requests := k.requests - 1;
    k.tokens := k.tokens - place.tokens;
  end if;
  update holdfast_limit_keys
  set asked_at = k.asked_at, last_at = k.last_at, requests = k.requests, tokens = k.tokens
  where key = left_key;
end $$`;

/** Removes keys that nobody has asked about for so long, with all that they had; a place that waits keeps its key. */
const sweep = `
create function holdfast_limit_sweep(idle_ms double precision) returns void
language sql as $$
  with idle as (
    delete from holdfast_limit_keys where key in (
      select key from holdfast_limit_keys as k
      where asked_at <= ${clock} - idle_ms and not exists (
        select from holdfast_limit_places as p
        where p.key = k.key and p.back_at > ${clock} - ${keptPlaceMs}
      )
      for update skip locked
    )
    returning key
  ),
  places as (delete from holdfast_limit_places where key in (select key from idle))
  delete from holdfast_limit_spent where key in (select key from idle);
$$`;

/** The functions in the order in which they are made; a released one is never edited: a migration replaces it. */
export const functions = [shift, open, foretell, ask, correct, leave, sweep];
