package io.github.rdmaboot.sample;

import java.time.Duration;

/**
 * What came back.
 *
 * @param body the bytes
 * @param roundTrip from the send to the arrival of the answer
 */
record Echo(byte[] body, Duration roundTrip) {

}
